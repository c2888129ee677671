import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Embed } from './open-embedder.ts';

const FILE = new URL('exemplar-vectors.gen.json', import.meta.url);
const SCALE = 127;
const KEY_LENGTH = 16;

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, KEY_LENGTH);

/**
 * The exemplars' vectors, stored beside them with one byte per number, because computing them takes seconds at every start.
 * Vectors of texts that are not in the file are computed now.
 */
export async function findExemplarVectors(texts: readonly string[], embed: Embed): Promise<readonly Float32Array[]> {
  const kept = JSON.parse(await readFile(FILE, 'utf8').catch(() => '{}')) as Record<string, string>;
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    const packed = kept[keyOf(text)];
    vectors.push(packed === undefined ? (await embed([text]))[0]! : unpack(packed));
  }
  return vectors;
}

/** Rewrites the file; `node scripts/measure-safety.ts --write` calls it after the exemplars changed. */
export async function writeExemplarVectors(texts: readonly string[], embed: Embed): Promise<void> {
  const rows: [string, string][] = [];
  for (const text of texts) rows.push([keyOf(text), pack((await embed([text]))[0]!)]);
  rows.sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(FILE, `${JSON.stringify(Object.fromEntries(rows), null, 1)}\n`);
}

function pack(vector: Float32Array): string {
  const largest = Math.max(...vector.map(Math.abs));
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((value / largest) * SCALE)).buffer).toString(
    'base64',
  );
}

function unpack(packed: string): Float32Array {
  const bytes = new Int8Array(Buffer.from(packed, 'base64'));
  const length = Math.hypot(...bytes);
  return Float32Array.from(bytes, (value) => value / length);
}
