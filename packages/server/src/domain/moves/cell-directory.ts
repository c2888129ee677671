import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../platform/problem.ts';

interface DirectoryKey {
  /** SHA-256 in hex. */
  readonly hash: string;
  /** The first characters of the key, which name its cell. */
  readonly prefix: string;
}

/** The lines for nginx: keys whose text names another cell than the one that has them. */
export function renderDirectory(keys: readonly DirectoryKey[], cell: string): string {
  return keys
    .filter(({ prefix }) => !prefix.startsWith(`atl_sk_${cell}_`))
    .map(({ hash }) => `${hash} ${cell};\n`)
    .join('');
}

/**
 * Replaces the file of a pair, in one step. A pair whose keys all name their cell has no file. The edge includes `*.map`; other
 * names, such as that of a file that is being written, are not read.
 */
export async function writeDirectory(
  dir: string,
  entry: { pairId: string; keys: readonly DirectoryKey[]; cell: string },
): Promise<void> {
  const path = join(dir, `${entry.pairId}.map`);
  const text = renderDirectory(entry.keys, entry.cell);
  if (text === '') return rm(path, { force: true });
  await mkdir(dir, { recursive: true });
  const file = await open(`${path}.partial`, 'w', 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.partial`, path);
}

/** nginx reads its files again on SIGHUP, and finishes the requests it has. */
export async function reloadEdge(pidFile: string): Promise<void> {
  const pid = Number((await readFile(pidFile, 'utf8')).trim());
  if (!Number.isSafeInteger(pid) || pid < 2) throw new Problem('internal', `${pidFile} has no process id.`);
  process.kill(pid, 'SIGHUP');
}
