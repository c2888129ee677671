export interface FrameSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

export const PICTURE_LONGEST_PX = 512;

const RATIO = /^(\d{1,4}):(\d{1,4})$/;
const MAX_RATIO = 4;
const SQUARE = 1;

/** The ratio of an `aspect_ratio` param; sides are even, as video needs them. */
export function frameSize(
  aspectRatio: unknown,
  { longestPx, fallbackRatio = SQUARE }: { longestPx: number; fallbackRatio?: number },
): FrameSize {
  const ratio = readRatio(aspectRatio) ?? fallbackRatio;
  return ratio >= 1
    ? { widthPx: longestPx, heightPx: toEven(longestPx / ratio) }
    : { widthPx: toEven(longestPx * ratio), heightPx: longestPx };
}

function readRatio(value: unknown): number | null {
  const match = typeof value === 'string' ? RATIO.exec(value) : null;
  const ratio = match === null ? Number.NaN : Number(match[1]) / Number(match[2]);
  if (!Number.isFinite(ratio) || ratio === 0) return null;
  return Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, ratio));
}

function toEven(px: number): number {
  return 2 * Math.round(px / 2);
}
