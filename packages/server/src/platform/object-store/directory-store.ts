import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, isMissing, toDirectoryError } from './directory-error.ts';
import { assertObjectKey, assertObjectPrefix } from './object-key.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { walkKeys } from './walk-keys.ts';

export interface DirectoryStoreOptions {
  readonly path: string;
}

// Keys never start with a dot, so no object can be stored here and no listing shows it.
const TEMPORARY = '.tmp';
const STALE_TEMPORARY_MS = 24 * 60 * 60 * 1000;
const PUBLISH_ATTEMPTS = 5;
const DELETES_IN_FLIGHT = 16;

/**
 * Files in one directory, for a single machine. An object is renamed into place after it is on disk. Two keys of which
 * one is a folder of the other (`a` and `a/b`) cannot both be stored.
 */
export function createDirectoryStore(options: DirectoryStoreOptions): ObjectStore {
  const root = resolve(options.path);
  const temporaryDir = join(root, TEMPORARY);
  let prepared: Promise<void> | undefined;

  /** Once per process: removes unfinished files of killed processes. */
  function prepare(): Promise<void> {
    prepared ??= (async () => {
      await mkdir(temporaryDir, { recursive: true });
      for (const name of await readdir(temporaryDir)) {
        const path = join(temporaryDir, name);
        const age = Date.now() - (await stat(path).then((entry) => entry.mtimeMs, Date.now));
        if (age > STALE_TEMPORARY_MS) await rm(path, { force: true });
      }
    })();
    prepared.catch(() => {
      prepared = undefined;
    });
    return prepared;
  }

  async function putStream({ key, stream }: { key: string; stream: Readable }): Promise<{ bytes: number }> {
    assertObjectKey(key);
    let sourceError: unknown;
    stream.once('error', (error) => {
      sourceError = error;
    });
    const temporaryPath = join(temporaryDir, randomUUID());
    try {
      await prepare();
      const file = await open(temporaryPath, 'wx', 0o640);
      let bytes = 0;
      try {
        await pipeline(stream, async (source) => {
          for await (const chunk of source as AsyncIterable<Buffer>) {
            await writeWhole(file, chunk);
            bytes += chunk.length;
          }
        });
        await file.sync();
      } finally {
        await file.close();
      }
      await publish({ temporaryPath, path: join(root, key) });
      return { bytes };
    } catch (error) {
      stream.destroy();
      await rm(temporaryPath, { force: true }).catch(() => undefined);
      throw sourceError ?? toDirectoryError(error);
    }
  }

  /** A concurrent delete may remove the folder between mkdir and rename. */
  async function publish({ temporaryPath, path }: { temporaryPath: string; path: string }): Promise<void> {
    const folder = dirname(path);
    for (let attempt = 1; ; attempt++) {
      const created = await mkdir(folder, { recursive: true });
      try {
        await rename(temporaryPath, path);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || attempt === PUBLISH_ATTEMPTS) throw error;
        continue;
      }
      await syncFolders({ from: folder, to: created === undefined ? folder : dirname(created) });
      return;
    }
  }

  async function remove(key: string): Promise<void> {
    const path = join(root, key);
    try {
      await rm(path);
    } catch (error) {
      if (!isMissing(error)) throw toDirectoryError(error);
      return;
    }
    // Empty folders would slow down every later listing.
    for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch {
        return;
      }
    }
  }

  return {
    putStream,

    async putFile({ key, path }) {
      await putStream({ key, stream: createReadStream(path) });
    },

    async putBytes({ key, bytes }) {
      await putStream({ key, stream: Readable.from([bytes]) });
    },

    async head(key) {
      assertObjectKey(key);
      try {
        const entry = await stat(join(root, key), { bigint: true });
        return entry.isFile() ? toStoredObject(entry) : null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw toDirectoryError(error);
      }
    },

    async read({ key, start = 0, end, signal }) {
      assertObjectKey(key);
      signal?.throwIfAborted();
      const file = await open(join(root, key), 'r').catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw toDirectoryError(error);
      });
      if (file === null) return null;
      const entry = await file.stat({ bigint: true });
      const object = toStoredObject(entry);
      const ranged = start > 0 || end !== undefined;
      if (!entry.isFile() || (ranged && start >= object.bytes)) {
        await file.close();
        if (!entry.isFile()) return null;
        throw new RangeError('the range starts beyond the object');
      }
      const last = Math.min(end ?? object.bytes - 1, object.bytes - 1);
      const stream = last < start ? Readable.from([]) : file.createReadStream({ start, end: last });
      if (last < start) await file.close();
      if (signal) addAbortSignal(signal, stream);
      return { stream, object };
    },

    async deleteMany(keys) {
      for (const key of keys) assertObjectKey(key);
      for (let from = 0; from < keys.length; from += DELETES_IN_FLIGHT) {
        await Promise.all(keys.slice(from, from + DELETES_IN_FLIGHT).map(remove));
      }
    },

    async list({ prefix, startAfter = '', limit }) {
      assertObjectPrefix(prefix);
      const objects: Array<{ key: string; bytes: number; lastModified: Date }> = [];
      for await (const key of walkKeys({ root, folder: '', prefix, startAfter })) {
        if (objects.length >= limit) break;
        const entry = await stat(join(root, key)).catch(() => null);
        if (entry) objects.push({ key, bytes: entry.size, lastModified: entry.mtime });
      }
      return objects;
    },

    async check() {
      try {
        await prepare();
        await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
        const probe = join(temporaryDir, randomUUID());
        const file = await open(probe, 'wx');
        await file.writeFile('probe').finally(() => file.close());
        await rm(probe);
      } catch (error) {
        prepared = undefined;
        throw toDirectoryError(error);
      }
    },

    async close() {},
  };
}

async function writeWhole(file: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

/** A rename and the folders created for it are durable only after their parents are synced. */
async function syncFolders({ from, to }: { from: string; to: string }): Promise<void> {
  for (let folder = from; folder.length >= to.length; folder = dirname(folder)) {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  }
}

function toStoredObject(entry: { size: bigint; mtimeNs: bigint; mtime: Date }): StoredObject {
  return {
    bytes: Number(entry.size),
    etag: `${entry.mtimeNs.toString(16)}-${entry.size.toString(16)}`,
    lastModified: entry.mtime,
  };
}
