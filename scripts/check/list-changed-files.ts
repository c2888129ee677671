import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Files that differ from the last commit, and new ones that are not ignored. Deleted ones are left out. */
export function listChangedFiles(root: string): string[] {
  const list = (...args: string[]) =>
    execFileSync('git', [...args, '-z'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
  const paths = [...list('diff', '--name-only', 'HEAD'), ...list('ls-files', '--others', '--exclude-standard')];
  return [...new Set(paths)].filter((path) => existsSync(join(root, path)));
}
