import { seededRandom } from '@atelier/server/platform/seeded-random.ts';

/**
 * How much a test does. `.ci/run` and `npm test` run loops at a part of their size, `npm run soak` at their full size: it runs every test
 * file that imports this one.
 */
const isFull = process.env.TEST_SIZE === 'full';

/** The same for all files of one run of `.ci/run` or `npm run soak`, so that a second run draws the same sample. */
export const TEST_SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);

export function sized<T>({ ci, full }: { readonly ci: T; readonly full: T }): T {
  return isFull ? full : ci;
}

/** In CI so many of the items, in their order, drawn with a seed that is printed; all of them at full size. */
export function sample<T>(items: readonly T[], { ci, of }: { readonly ci: number; readonly of: string }): readonly T[] {
  if (isFull || items.length <= ci) return items;
  console.info(`a sample of ${ci} of ${items.length} ${of}, TEST_SEED=${TEST_SEED}`);
  return draw(items, { count: ci, random: seededRandom(TEST_SEED) });
}

function draw<T>(items: readonly T[], { count, random }: { count: number; random: () => number }): T[] {
  const order = items.map((_, index) => ({ index, key: random() })).sort((a, b) => a.key - b.key);
  const chosen = new Set(order.slice(0, count).map(({ index }) => index));
  return items.filter((_, index) => chosen.has(index));
}
