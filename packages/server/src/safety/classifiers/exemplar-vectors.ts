import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Embed } from './open-embedder.ts';

const FILE = new URL('exemplar-vectors.gen.json', import.meta.url);
const SCALE = 127;
const KEY_LENGTH = 16;

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, KEY_LENGTH);

/**
 * The exemplars' vectors, kept beside them in one byte per number, since working them out takes seconds at every start. A
 * text that is not in the file is worked out now.
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

/** Writes the file anew; `node scripts/measure-safety.ts --write` calls it after the exemplars changed. */
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
