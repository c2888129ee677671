import { appendFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderDirectory } from './cell-directory.ts';
import { moveKey } from './copy-files.ts';
import type { MovingRow } from './moving-rows.store.ts';
import { checkSnapshot, readSnapshot, snapshotPath, writeSnapshot } from './snapshot-file.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'snapshot-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const read = async (path: string) => {
  const rows: MovingRow[] = [];
  const sizes: number[] = [];
  for await (const batch of readSnapshot(path)) {
    sizes.push(batch.rows.length);
    rows.push(...batch.rows.map((row) => ({ table: batch.table, row })));
  }
  return { rows, sizes };
};

async function* batchesOf(...batches: MovingRow[][]) {
  yield* batches;
}

test('rows are read as they were written, in batches of one table', async () => {
  const path = snapshotPath(dir, 'move');
  const row = (n: number) => JSON.stringify({ n, text: 'a\u2028b\u2029c\r\n\t"é😀' });
  const rows: MovingRow[] = [
    { table: 'account', row: row(0) },
    ...Array.from({ length: 1_200 }, (_, n) => ({ table: 'generation', row: row(n) })),
    { table: 'hold', row: row(7) },
  ];
  const { checksum, rows: count } = await writeSnapshot(path, batchesOf(rows.slice(0, 900), rows.slice(900)));
  expect(count).toBe(rows.length);
  await checkSnapshot(path, checksum);
  expect(await read(path)).toEqual({ rows, sizes: [1, 500, 500, 200, 1] });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dir)).toEqual(['move.rows']);
});

test('a changed, missing or foreign file is refused', async () => {
  const path = snapshotPath(dir, 'other');
  const { checksum } = await writeSnapshot(path, batchesOf([{ table: 'unknown', row: '{}' }]));
  await expect(read(path)).rejects.toThrow('unknown table');
  await appendFile(path, '\n');
  await expect(checkSnapshot(path, checksum)).rejects.toThrow('was changed');
  await expect(checkSnapshot(snapshotPath(dir, 'none'), checksum)).rejects.toThrow('does not exist');
});

test('a file keeps its key behind the prefix of its cell', () => {
  const prefixes = { from: ['', 'cell-a/1/', 'cell-a/12/'], to: 'cell-b/9/' };
  expect(moveKey(prefixes, 'cell-a/12/a/account/asset/file')).toBe('cell-b/9/a/account/asset/file');
  expect(moveKey(prefixes, 'a/account/asset/file')).toBe('cell-b/9/a/account/asset/file');
});

test('the directory lists keys that name another cell', () => {
  const keys = [
    { hash: 'aa', prefix: 'atl_sk_a_live_abcd' },
    { hash: 'bb', prefix: 'atl_sk_b_live_abcd' },
    { hash: 'cc', prefix: 'atl_sk_bb_test_abcd' },
  ];
  expect(renderDirectory(keys, 'b')).toBe('aa b;\ncc b;\n');
});
