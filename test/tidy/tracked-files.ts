import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface TrackedFile {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  /** Empty for a binary file. */
  readonly text: string;
}

export const ROOT = resolve(import.meta.dirname, '../..');

/** Every file that git tracks or would add. */
export function readTrackedFiles(): TrackedFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('test/planted/') && existsSync(join(ROOT, path)))
    .map((path) => ({ path, text: readText(join(ROOT, path)) }));
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  return bytes.includes(0) ? '' : bytes.toString('utf8');
}
