import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';

export interface BuiltConsole extends AsyncDisposable {
  readonly dir: string;
}

/** Builds the pages as for release, into a temporary folder. */
export async function buildConsole(): Promise<BuiltConsole> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-console-'));
  await build({
    configFile: resolve(import.meta.dirname, '../vite.config.ts'),
    mode: 'production',
    // A test runner sets NODE_ENV, which would select the development build of React.
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
    build: { outDir: dir, emptyOutDir: true },
  });
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}
