import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Written by a passing run of the engine tests, and by nothing else. */
export const ENGINE_DIGEST_FILE = 'test/engines.digest';

/** What the engine tests depend on: the engines, what confines and calls them, the models, and all dependencies. */
const INPUTS = [
  'packages/engines',
  'packages/contract/src',
  'packages/server/src/confine',
  'packages/server/src/providers/local',
  'packages/server/src/safety',
  'catalog',
  'gallery/inputs',
  'test/engines.vitest.config.ts',
  'package-lock.json',
];
const MAX_LISTING_BYTES = 16 * 1024 * 1024;

/** Whether the engine tests passed with these inputs. */
export async function isEngineDigestCurrent(root: string): Promise<boolean> {
  const recorded = await readFile(join(root, ENGINE_DIGEST_FILE), 'utf8').catch(() => '');
  return recorded.trim() === (await computeEngineDigest(root));
}

export async function writeEngineDigest(root: string): Promise<void> {
  await writeFile(join(root, ENGINE_DIGEST_FILE), `${await computeEngineDigest(root)}\n`);
}

/** Of the files as they are in the working tree, tracked or new, but not of ignored ones. */
export async function computeEngineDigest(root: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...INPUTS],
    { cwd: root, maxBuffer: MAX_LISTING_BYTES },
  );
  const hash = createHash('sha256');
  for (const path of [...new Set(stdout.split('\0').filter(Boolean))].sort()) {
    // A file that was deleted but not committed yet is listed too.
    const bytes = await readFile(join(root, path)).catch(() => null);
    if (bytes !== null) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
