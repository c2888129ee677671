/** A segment of a recording, in seconds from its start. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const FRAME_SECONDS = 0.02;
/** Below this level a recording counts as silent. */
const SILENT_BELOW = 0.0015;
const SILENT_SHARE_OF_LOUD = 0.04;
const LOUD_QUANTILE = 0.95;
/** Sounds shorter than this between silences are clicks. */
const SHORTEST_SOUND_SECONDS = 0.06;
/** Margin around each segment, so that soft first and last sounds are not cut off. */
const EDGE_SECONDS = 0.12;

/**
 * Finds the segments of a recording that contain sound, each at most `maxSeconds` long. A pause ends a segment of at least
 * `minSeconds`; without a pause in time, it is cut at the quietest moment.
 */
export function splitAtSilences(options: {
  samples: Float32Array;
  rate: number;
  minSeconds: number;
  maxSeconds: number;
  pauseSeconds: number;
}): readonly Stretch[] {
  const levels = measureLevels(options.samples, Math.round(options.rate * FRAME_SECONDS));
  const frames = (seconds: number) => Math.round(seconds / FRAME_SECONDS);
  const [shortest, longest] = [frames(options.minSeconds), frames(options.maxSeconds - 2 * EDGE_SECONDS)];
  const stretches: { from: number; to: number }[] = [];
  for (const sound of findSounds(levels, frames(options.pauseSeconds))) {
    const last = stretches.at(-1);
    if (last !== undefined && last.to - last.from < shortest && sound.to - last.from <= longest) last.to = sound.to;
    else stretches.push(...cutLong(sound, levels, longest));
  }
  const edge = frames(EDGE_SECONDS);
  const length = options.samples.length / options.rate;
  return stretches.map(({ from, to }, index) => ({
    from: Math.max(0, from - edge, stretches[index - 1]?.to ?? 0) * FRAME_SECONDS,
    to: Math.min(length, Math.min(to + edge, stretches[index + 1]?.from ?? Number.POSITIVE_INFINITY) * FRAME_SECONDS),
  }));
}

function measureLevels(samples: Float32Array, frame: number): Float32Array {
  const levels = new Float32Array(Math.ceil(samples.length / frame));
  for (let at = 0; at < samples.length; at++) levels[Math.floor(at / frame)]! += samples[at]! ** 2;
  return levels.map((sum) => Math.sqrt(sum / frame));
}

function findSounds(levels: Float32Array, pause: number): readonly { from: number; to: number }[] {
  const loud = Float32Array.from(levels).sort()[Math.floor((levels.length - 1) * LOUD_QUANTILE)] ?? 0;
  const silentBelow = Math.max(SILENT_BELOW, loud * SILENT_SHARE_OF_LOUD);
  const sounds: { from: number; to: number }[] = [];
  for (const [at, level] of levels.entries()) {
    if (level < silentBelow) continue;
    const last = sounds.at(-1);
    if (last !== undefined && at - last.to < pause) last.to = at + 1;
    else sounds.push({ from: at, to: at + 1 });
  }
  return sounds.filter(({ from, to }) => (to - from) * FRAME_SECONDS >= SHORTEST_SOUND_SECONDS);
}

function cutLong(sound: { from: number; to: number }, levels: Float32Array, longest: number) {
  const parts: { from: number; to: number }[] = [];
  let from = sound.from;
  while (sound.to - from > longest) {
    let cut = from + longest;
    for (let at = cut; at > from + longest / 2; at--) if (levels[at]! < levels[cut]!) cut = at;
    parts.push({ from, to: cut });
    from = cut;
  }
  return [...parts, { from, to: sound.to }];
}
