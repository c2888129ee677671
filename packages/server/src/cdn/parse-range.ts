export type RangeDecision =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

const SPEC = /^ *(?:(\d+) *- *(?:(\d+) *)?|-(\d+) *)$/;
const LARGEST_OFFSET = 2n ** 63n - 1n;

/**
 * One range at most, as nginx with `max_ranges 1`: two satisfiable ranges return the whole file. No satisfiable
 * range or a malformed one returns 416. Ranges of other units are ignored.
 */
export function parseRange(header: string, bytes: number): RangeDecision {
  if (!/^bytes=./i.test(header)) return { kind: 'whole' };
  let part: RangeDecision | undefined;
  for (const spec of header.slice('bytes='.length).split(',')) {
    const range = parseSpec(spec, BigInt(bytes));
    if (range === 'unreadable') return { kind: 'unsatisfiable' };
    if (range === 'beyond') continue;
    if (range === 'nothing' || part !== undefined) return { kind: 'whole' };
    part = { kind: 'part', start: Number(range.start), end: Number(range.end) };
  }
  return part ?? { kind: 'unsatisfiable' };
}

/** `nothing` is a range from the start of an empty file: the response is the file. */
function parseSpec(spec: string, size: bigint): { start: bigint; end: bigint } | 'unreadable' | 'beyond' | 'nothing' {
  const match = SPEC.exec(spec);
  if (match === null) return 'unreadable';
  const [first, last, suffix] = match.slice(1).map((digits) => (digits === undefined ? undefined : BigInt(digits)));
  if ([first, last, suffix].some((offset) => offset !== undefined && offset > LARGEST_OFFSET)) return 'unreadable';
  const start = first ?? (suffix! < size ? size - suffix! : 0n);
  const end = last === undefined || last >= size ? size - 1n : last;
  if (start <= end) return { start, end };
  return start === 0n ? 'nothing' : 'beyond';
}
