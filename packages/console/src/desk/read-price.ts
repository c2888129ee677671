import type { PriceRule } from '@atelier/contract/desk';

export interface PriceForm {
  readonly base: string;
  /** JSON. */
  readonly lines: string;
  readonly roundUpTo: string;
}

export const writePrice = ({ perOutput, lines = [], roundUpTo }: PriceRule): PriceForm => ({
  base: String(perOutput),
  lines: lines.length === 0 ? '' : `[\n${lines.map((line) => `  ${JSON.stringify(line)}`).join(',\n')}\n]`,
  roundUpTo: roundUpTo === undefined ? '' : String(roundUpTo),
});

/** The lines as JSON; null if the text is not a list. The server checks what is in it. */
export function readLines(text: string): NonNullable<PriceRule['lines']> | null {
  if (text.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The price that the form says; null if it is not complete. */
export function readPrice({ base, lines, roundUpTo }: PriceForm): PriceRule | null {
  const perOutput = readNumber(base);
  const list = readLines(lines);
  const rounded = roundUpTo.trim() === '' ? undefined : readNumber(roundUpTo);
  if (perOutput === null || list === null || rounded === null) return null;
  return {
    perOutput,
    ...(list.length === 0 ? {} : { lines: list }),
    ...(rounded === undefined ? {} : { roundUpTo: rounded }),
  };
}

export const readNumber = (text: string): number | null =>
  /^\d{1,9}(?:\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;
