const TAIL_CHARS = 2_000;

/** The part done, 0 to 1, from the last percentage in a log, as progress bars write it. Undefined without one. */
export function readLogProgress(logs: string): number | undefined {
  const found = [...logs.slice(-TAIL_CHARS).matchAll(/(?<![\d.])(\d{1,3})(?:\.\d+)?\s?%/g)].at(-1)?.[1];
  const percent = Number(found);
  return found === undefined || percent > 100 ? undefined : percent / 100;
}
