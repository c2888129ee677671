/** Longer names are not compared: they cannot be a misspelled param. */
const MAX_LENGTH = 64;
/** One typing error is allowed per this many characters, so that short names are not confused. */
const CHARACTERS_PER_SLIP = 3;

/** The known name that was probably meant: the same words in another notation, or the closest by edit distance. */
export function suggestName(name: string, known: Iterable<string>): string | null {
  if (name.length > MAX_LENGTH) return null;
  const wanted = normalize(name);
  let best: { name: string; slips: number } | null = null;
  for (const candidate of known) {
    const other = normalize(candidate);
    const most = Math.floor(Math.max(wanted.length, other.length) / CHARACTERS_PER_SLIP);
    const slips = countSlips(wanted, other);
    if (slips <= most && (best === null || slips < best.slips)) best = { name: candidate, slips };
  }
  return best?.name ?? null;
}

/** `aspectRatio`, `aspect-ratio` and `Aspect_Ratio` are `aspectratio`. */
const normalize = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Optimal string alignment distance: letters inserted, deleted, substituted, or two neighbours swapped. */
function countSlips(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const exchanged = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let slips = Math.min(exchanged, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) slips = Math.min(slips, before[j - 2]! + 1);
      row.push(slips);
    }
    before = last;
    last = row;
  }
  return last[to.length]!;
}
