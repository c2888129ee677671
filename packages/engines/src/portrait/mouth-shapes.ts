/** A mouth shape. Lengths are relative to the distance between the outer corners of the eyes. */
export interface MouthShape {
  /** Between the lips, in the middle. */
  readonly gap: number;
  /** Width of the mouth, relative to that in the image. */
  readonly width: number;
  /** How closely the mouth follows the image: 1 is identical. */
  readonly rest: number;
}

/** A segment of speech with one mouth shape, named by a letter as in animation. */
export interface MouthCue {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

export const REST: MouthShape = { gap: 0, width: 1, rest: 1 };

const SHAPES: Readonly<Record<string, MouthShape>> = {
  // M, B, P: the lips touch.
  A: { gap: 0, width: 0.98, rest: 0 },
  // K, S, T, EE: the teeth nearly touch.
  B: { gap: 0.075, width: 1.02, rest: 0 },
  // EH, AE.
  C: { gap: 0.13, width: 1, rest: 0 },
  // AA: wide open.
  D: { gap: 0.2, width: 0.97, rest: 0 },
  // AO, ER: somewhat round.
  E: { gap: 0.13, width: 0.88, rest: 0 },
  // OO, W: pursed.
  F: { gap: 0.075, width: 0.76, rest: 0 },
  // F, V: the lower lip at the upper teeth.
  G: { gap: 0.04, width: 0.98, rest: 0 },
  // L: the tongue behind the upper teeth.
  H: { gap: 0.115, width: 0.98, rest: 0 },
  X: REST,
};
/** Smooths the lip movement: each frame is blended with its neighbours. */
const SMOOTHING = [0.22, 0.56, 0.22];

/** The mouth of every frame. */
export function planMouth(options: { cues: readonly MouthCue[]; seconds: number; fps: number }): MouthShape[] {
  const { cues, seconds, fps } = options;
  const frames = Math.max(1, Math.round(seconds * fps));
  const plain = Array.from({ length: frames }, (_, frame) => {
    const at = (frame + 0.5) / fps;
    const cue = cues.find(({ start, end }) => at >= start && at < end);
    return (cue && SHAPES[cue.value]) ?? REST;
  });
  return plain.map((_, frame) => {
    const mix = (of: (shape: MouthShape) => number) =>
      SMOOTHING.reduce(
        (sum, weight, i) => sum + weight * of(plain[Math.min(frames - 1, Math.max(0, frame + i - 1))]!),
        0,
      );
    // A resting gap is the image's own, so it must not reduce the gaps of its neighbours.
    const moved = mix(({ rest }) => 1 - rest);
    return {
      gap: moved > 0 ? mix(({ gap, rest }) => gap * (1 - rest)) / moved : 0,
      width: mix(({ width }) => width),
      rest: mix(({ rest }) => rest),
    };
  });
}

const [BLINK_EVERY_SECONDS, BLINK_SECONDS] = [3.7, 0.24];

/** How far the eyes are closed, 0 to 1. Occasional blinks are enough to look natural. */
export function blinkAt(seconds: number): number {
  // The second of each pair comes early, because regular blinks look mechanical.
  const pair = seconds % (2 * BLINK_EVERY_SECONDS);
  const since = Math.min(...[2.1, 5.2].map((at) => Math.abs(pair - at - BLINK_SECONDS / 2)));
  const part = since / (BLINK_SECONDS / 2);
  return part >= 1 ? 0 : Math.cos((part * Math.PI) / 2);
}

/** The mouth shapes of a recording: 16-bit samples, mono, 16,000 a second. */
export async function readMouthCues(samples: Buffer<ArrayBuffer>): Promise<readonly MouthCue[]> {
  const { Rhubarb } = await import('rhubarb-lip-sync-wasm');
  const { mouthCues } = await Rhubarb.getLipSync(samples);
  return mouthCues;
}
