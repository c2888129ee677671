import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type CopyPiece, followCopyPlan, MAX_PIECES, readCopyPlan } from './copy-plan.ts';

const dir = await mkdtemp(join(tmpdir(), 'atelier-plan-'));
afterAll(() => rm(dir, { recursive: true, force: true }));
const path = join(dir, 'source');
const source = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 7919) % 251));
await writeFile(path, source);

const follow = (plan: readonly CopyPiece[], maxBytes = source.length) =>
  followCopyPlan({ path, outPath: join(dir, 'copy'), plan, maxBytes });

test('pieces of the source and new bytes are combined in order', async () => {
  const head = Buffer.from('head');
  expect(await follow([head.toString('base64'), [10, 300_000], [5, 1], [590_000, 10_000]])).toBe(true);
  const parts = [head, source.subarray(10, 300_010), source.subarray(5, 6), source.subarray(590_000)];
  expect((await readFile(join(dir, 'copy'))).equals(Buffer.concat(parts))).toBe(true);
});

test('a plan with the maximum number of pieces is copied in blocks', async () => {
  const plan: CopyPiece[] = Array.from({ length: MAX_PIECES }, (_, n) => [n * 36, 9]);
  const startedMs = performance.now();
  expect(await follow(plan)).toBe(true);
  console.info(`${MAX_PIECES} pieces in ${Math.round(performance.now() - startedMs)} ms`);
  const copy = await readFile(join(dir, 'copy'));
  expect(copy.length).toBe(MAX_PIECES * 9);
  expect(copy.subarray(9, 18).equals(source.subarray(36, 45))).toBe(true);
});

test('a plan that reads or writes beyond the source is aborted', async () => {
  expect(await follow([[599_999, 2]])).toBe(false);
  expect(await follow([[10_000_000, 1]])).toBe(false);
  expect(await follow(Array.from({ length: 3 }, (): CopyPiece => [0, 300_000]))).toBe(false);
});

test('a plan beyond its limits is refused', () => {
  expect(readCopyPlan([[0, 8], 'AAAA'])).toEqual([[0, 8], 'AAAA']);
  for (const wrong of [undefined, {}, [[-1, 2]], [[0.5, 2]], [[0]], [[0, 1, 2]], [null], ['A'.repeat(5_000)]]) {
    expect(readCopyPlan(wrong)).toBeNull();
  }
  expect(readCopyPlan(Array.from({ length: MAX_PIECES + 1 }, () => [0, 1]))).toBeNull();
});
