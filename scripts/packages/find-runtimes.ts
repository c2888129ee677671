import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findNodes } from './find-nodes.ts';

export interface Runtime {
  readonly program: string;
  /** What comes before the name of the file to run. */
  readonly args: readonly string[];
}

/** Everything that the client is tested with: the Node of the machine, the one of this process, Deno and Bun. */
export function findRuntimes(): Runtime[] {
  const { platform, arch } = process;
  const system = platform === 'win32' ? 'windows' : platform;
  const deno = findBinary(`@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`, 'deno');
  const bun = findBinary(`@oven/bun-${system}-${arch === 'arm64' ? 'aarch64' : arch}`, 'bin/bun');
  return [
    ...findNodes().map((program) => ({ program, args: [] })),
    { program: deno, args: ['run', '--allow-all', '--node-modules-dir=manual', '--no-lock', '--no-config'] },
    { program: bun, args: ['run'] },
  ];
}

/** The packages `deno` and `bun` would copy their binary with an install script. It is taken from where it is. */
function findBinary(name: string, path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
}
