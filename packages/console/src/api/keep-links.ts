/** A link that still works this long is not replaced. */
const ENOUGH_SECONDS = 900;

/**
 * New data with the links of the old data, as long as these work. Every answer signs its links anew, and a player whose
 * link changes starts from the beginning.
 */
export function keepLinks(before: unknown, after: unknown, nowMs: number): unknown {
  if (typeof after === 'string') {
    return typeof before === 'string' && isSameFile(before, after) && worksAt(before, nowMs) ? before : after;
  }
  if (Array.isArray(after)) {
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    return after.map((item, at) => {
      const id = idOf(item);
      return keepLinks(id === null ? old[at] : old.find((each) => idOf(each) === id), item, nowMs);
    });
  }
  if (!isObject(before) || !isObject(after)) return after;
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, keepLinks(before[name], value, nowMs)]),
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const idOf = (value: unknown): unknown => (isObject(value) ? (value.id ?? null) : null);

const isSameFile = (a: string, b: string): boolean =>
  a.startsWith('http') && a.slice(0, a.indexOf('?')) === b.slice(0, b.indexOf('?')) && expiryOf(a) !== null;

/** The expiry of a signed link, in seconds. */
function expiryOf(link: string): number | null {
  const [, seconds] = /[?&]e=(\d+)/.exec(link) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

const worksAt = (link: string, nowMs: number): boolean => (expiryOf(link) ?? 0) - nowMs / 1000 > ENOUGH_SECONDS;
