import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { ObjectStore } from '../../platform/object-store/object-store.ts';
import { Problem } from '../../platform/problem.ts';
import type { MovingFile } from './moves.store.ts';

const AT_ONCE = 4;

interface Copy {
  readonly from: string;
  readonly to: string;
  readonly contentType: string;
  readonly bytes: number;
  /** SHA-256 in hex, if it is recorded. */
  readonly sha256: string | null;
}

export interface KeyPrefixes {
  /** All prefixes of the source. */
  readonly from: readonly string[];
  /** The prefix of new files at the target. */
  readonly to: string;
}

/** The key of a file at the target: the part after the prefix stays. */
export function moveKey(prefixes: KeyPrefixes, key: string): string {
  const own = prefixes.from.filter((prefix) => key.startsWith(prefix)).sort((a, b) => b.length - a.length)[0] ?? '';
  return `${prefixes.to}${key.slice(own.length)}`;
}

/**
 * Copies files and their variants. Each copy is read back and compared; one that is already there is only compared. While the account is
 * in use, files may be deleted after they were listed.
 */
export async function copyFiles(
  stores: { from: ObjectStore; to: ObjectStore },
  prefixes: KeyPrefixes,
  { files, mayBeGone }: { files: readonly MovingFile[]; mayBeGone: boolean },
): Promise<number> {
  const copies = files.flatMap((file): Copy[] => [
    {
      from: file.objectKey,
      to: moveKey(prefixes, file.objectKey),
      contentType: file.mimeType,
      bytes: file.bytes,
      sha256: file.sha256,
    },
    ...Object.values(file.variants).map(({ key, bytes, mimeType }) => ({
      from: key,
      to: moveKey(prefixes, key),
      contentType: mimeType,
      bytes,
      sha256: null,
    })),
  ]);
  for (let at = 0; at < copies.length; at += AT_ONCE) {
    await Promise.all(copies.slice(at, at + AT_ONCE).map((copy) => copyOne(stores, { ...copy, mayBeGone })));
  }
  return copies.length;
}

async function copyOne(
  stores: { from: ObjectStore; to: ObjectStore },
  copy: Copy & { mayBeGone: boolean },
): Promise<void> {
  const there = await stores.to.head(copy.to);
  const expected = there?.bytes === copy.bytes ? await digest(stores.from, copy.from) : await send(stores, copy);
  if (expected === null && copy.mayBeGone) return;
  if (expected === null) throw new Problem('not_found', `${copy.from} is not in the bucket. See \`verify --objects\`.`);
  if (copy.sha256 !== null && expected !== copy.sha256) {
    throw new Problem('internal', `${copy.from} is not the file that was stored. Restore it, then repeat the move.`);
  }
  if ((await digest(stores.to, copy.to)) === expected) return;
  // Left over from another file: written again by the next run.
  await stores.to.deleteMany([copy.to]);
  throw new Problem('unavailable', `The copy of ${copy.from} differs. Repeat the move.`);
}

/** Returns the SHA-256 of what was sent; null if there is no such file. */
async function send(stores: { from: ObjectStore; to: ObjectStore }, copy: Copy): Promise<string | null> {
  const source = await stores.from.read({ key: copy.from });
  if (source === null) return null;
  const hash = createHash('sha256');
  const stream = source.stream.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    }),
  );
  source.stream.once('error', (error) => stream.destroy(error));
  await stores.to.putStream({ key: copy.to, stream, contentType: copy.contentType });
  return hash.digest('hex');
}

async function digest(store: ObjectStore, key: string): Promise<string | null> {
  const found = await store.read({ key });
  if (found === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of found.stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
