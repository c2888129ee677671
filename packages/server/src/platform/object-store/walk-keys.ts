import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, toDirectoryError } from './directory-error.ts';

/** Keys in byte order: a folder sorts as its name plus a slash, as in a bucket. */
export async function* walkKeys(options: {
  root: string;
  folder: string;
  prefix: string;
  startAfter: string;
}): AsyncGenerator<string> {
  const { root, folder, prefix, startAfter } = options;
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [] as Dirent[];
    throw toDirectoryError(error);
  });
  const names = entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
    .map((entry) => folder + (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    if (!name.endsWith('/')) {
      if (name.startsWith(prefix) && name > startAfter) yield name;
      continue;
    }
    const mayHold = name.startsWith(prefix) || prefix.startsWith(name);
    const isBefore = name < startAfter && !startAfter.startsWith(name);
    if (mayHold && !isBefore) yield* walkKeys({ root, folder: name, prefix, startAfter });
  }
}
