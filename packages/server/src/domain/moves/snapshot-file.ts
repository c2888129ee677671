import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../platform/problem.ts';
import { isMovingTable, type MovingRow } from './moving-rows.store.ts';

/** Rows and characters of one batch. A row may be larger. */
const BATCH_ROWS = 500;
const BATCH_CHARS = 4 * 1024 * 1024;

/** Where the rows of a move are while it runs. */
export function snapshotPath(dir: string, moveId: string): string {
  return join(dir, `${moveId}.rows`);
}

interface Snapshot {
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
  readonly rows: number;
}

/**
 * Writes one line per row: the table, a tab, the row as JSON. When this returns, the file is whole and on the disk. It contains
 * what customers wrote, so only its owner may read it.
 */
export async function writeSnapshot(path: string, batches: AsyncIterable<readonly MovingRow[]>): Promise<Snapshot> {
  const hash = createHash('sha256');
  const partial = `${path}.partial`;
  const file = await open(partial, 'w', 0o600);
  let rows = 0;
  try {
    for await (const batch of batches) {
      const text = batch.map(({ table, row }) => `${table}\t${row}\n`).join('');
      hash.update(text);
      rows += batch.length;
      await file.writeFile(text);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  return { checksum: hash.digest('hex'), rows };
}

/** Refuses a file that is not the one of the departure. */
export async function checkSnapshot(path: string, checksum: string): Promise<void> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Problem('not_found', `${path} does not exist. Without it, cancel the move with \`account move-cancel\`.`);
  }
  if (hash.digest('hex') !== checksum) throw new Problem('internal', `${path} was changed since it was written.`);
}

/** The rows of the file in their order, in batches of one table. */
export async function* readSnapshot(path: string): AsyncGenerator<{ table: string; rows: string[] }> {
  let table = '';
  let rows: string[] = [];
  let chars = 0;
  for await (const line of readLines(path)) {
    const at = line.indexOf('\t');
    const [name, row] = [line.slice(0, at), line.slice(at + 1)];
    if (!isMovingTable(name)) throw new Problem('internal', `${path} has rows of an unknown table.`);
    if (rows.length > 0 && (name !== table || rows.length >= BATCH_ROWS || chars >= BATCH_CHARS)) {
      yield { table, rows };
      [rows, chars] = [[], 0];
    }
    table = name;
    rows.push(row);
    chars += row.length;
  }
  if (rows.length > 0) yield { table, rows };
}

/** Not `node:readline`: it also ends a line at U+2028 and U+2029, which texts of customers may contain. */
async function* readLines(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
}
