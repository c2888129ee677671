import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

// On Debian, server programs are outside the search path of normal users.
const MORE_FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];

export function findProgram(options: { program: string; debianPackage: string; folders?: string[] }): string {
  const folders = [...(options.folders ?? []), ...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS];
  for (const folder of folders) {
    const path = join(folder, options.program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  throw new Error(
    `${options.program} is not installed. It comes with the Debian package ${options.debianPackage}; ` +
      'run scripts/setup to install missing packages.',
  );
}
