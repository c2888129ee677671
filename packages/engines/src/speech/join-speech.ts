const WANTED_LEVEL = 0.1;
const MAX_PEAK = 0.9;

/** Normalizes the level of voices, which differ by ten decibels, and avoids clipping. */
export function levelSpeech(samples: Float32Array): Float32Array {
  let [sum, peak] = [0, 0];
  for (const value of samples) {
    sum += value * value;
    peak = Math.max(peak, Math.abs(value));
  }
  if (peak === 0) return samples;
  const gain = Math.min(WANTED_LEVEL / Math.sqrt(sum / samples.length), MAX_PEAK / peak);
  return samples.map((value) => value * gain);
}

const SILENT_BELOW = 0.01;
const KEPT_EDGE_SECONDS = 0.06;
const PAUSE_SECONDS = 0.22;
const PARAGRAPH_PAUSE_SECONDS = 0.55;

/** Joins spoken chunks with fixed pauses instead of their own silence. */
export function joinSpeech(options: {
  parts: ReadonlyArray<{ readonly samples: Float32Array; readonly endsParagraph: boolean }>;
  rate: number;
}): Float32Array {
  const seconds = (count: number) => Math.round(count * options.rate);
  const trimmed = options.parts.map(({ samples, endsParagraph }) => ({
    samples: trim(samples, seconds(KEPT_EDGE_SECONDS)),
    pause: seconds(endsParagraph ? PARAGRAPH_PAUSE_SECONDS : PAUSE_SECONDS),
  }));
  const length = trimmed.reduce((sum, { samples, pause }) => sum + samples.length + pause, 0);
  const joined = new Float32Array(length - (trimmed.at(-1)?.pause ?? 0));
  let at = 0;
  for (const { samples, pause } of trimmed) {
    joined.set(samples, at);
    at += samples.length + pause;
  }
  return joined;
}

function trim(samples: Float32Array, edge: number): Float32Array {
  const first = samples.findIndex((value) => Math.abs(value) > SILENT_BELOW);
  if (first === -1) return samples.subarray(0, 0);
  const last = samples.findLastIndex((value) => Math.abs(value) > SILENT_BELOW);
  return samples.subarray(Math.max(0, first - edge), Math.min(samples.length, last + edge));
}
