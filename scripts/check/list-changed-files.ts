import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files that differ from what was pushed (without a remote branch: from the last commit), and new ones that are not
 * ignored. Deleted ones are left out.
 */
export function listChangedFiles(root: string): string[] {
  const list = (...args: string[]) =>
    execFileSync('git', [...args, '-z'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
  const paths = [...list('diff', '--name-only', findBase(root)), ...list('ls-files', '--others', '--exclude-standard')];
  return [...new Set(paths)].filter((path) => existsSync(join(root, path)));
}

function findBase(root: string): string {
  try {
    const base = execFileSync('git', ['merge-base', 'HEAD', '@{upstream}'], { cwd: root, stdio: 'pipe' });
    return base.toString().trim();
  } catch {
    return 'HEAD';
  }
}
