import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const VITE = join(dirname(fileURLToPath(import.meta.resolve('vite/package.json'))), 'bin/vite.js');
const PACKAGE = import.meta.dirname;
const TIMEOUT_MS = 120_000;
/** The pages of the account, and those of the operator. */
const CONFIGS = { console: 'vite.config.ts', desk: 'vite.desk.config.ts' } as const;

export interface BuiltConsole extends AsyncDisposable {
  readonly dir: string;
}

/**
 * Builds the pages as for release, into a temporary folder. In a process of its own: a test runner sets NODE_ENV, and with
 * it the build would contain the development version of React.
 */
export async function buildConsole(which: keyof typeof CONFIGS = 'console'): Promise<BuiltConsole> {
  const dir = await mkdtemp(join(tmpdir(), `atelier-${which}-`));
  const args = [
    VITE,
    'build',
    '--config',
    join(PACKAGE, CONFIGS[which]),
    '--outDir',
    dir,
    '--emptyOutDir',
    '--logLevel',
    'error',
  ];
  await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, NODE_ENV: 'production' },
    timeout: TIMEOUT_MS,
  });
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}
