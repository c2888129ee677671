import { MAX_DELAY_MS } from './parse-outcome.ts';

/** Everything a poll needs is in the handle: any worker can continue where another stopped. */
export interface Handle {
  readonly startedAtMs: number;
  /** Null never ends. */
  readonly delayMs: number | null;
}

const FORMAT = /^sim1:(\d{1,15}):(?:hold|ok:(\d{1,9}))$/;

export function formatHandle({ startedAtMs, delayMs }: Handle): string {
  return delayMs === null ? `sim1:${startedAtMs}:hold` : `sim1:${startedAtMs}:ok:${delayMs}`;
}

/** Null when the text is not a handle of this provider. */
export function parseHandle(text: string): Handle | null {
  const match = FORMAT.exec(text);
  if (match === null) return null;
  const delayMs = match[2] === undefined ? null : Number(match[2]);
  if (delayMs !== null && delayMs > MAX_DELAY_MS) return null;
  return { startedAtMs: Number(match[1]), delayMs };
}
