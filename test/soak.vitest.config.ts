import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..');
const TIMEOUT_MS = 600_000;

/** Tests whose size depends on where they run: they import test/size.ts. */
const isSized = (path: string) => /from '[./]*\/test\/size\.ts'/.test(readFileSync(join(ROOT, path), 'utf8'));
const sizedFiles = (...globs: string[]) =>
  globSync(globs, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
    .filter(isSized)
    .sort();

const project = (name: string, include: string[]) => ({
  extends: true as const,
  test: { name, include },
});

/** `npm run soak`: full sizes, one file at a time, so that limits of time hold. */
export default defineConfig({
  test: {
    root: ROOT,
    globalSetup: ['test/services-setup.ts'],
    env: { TEST_SIZE: 'full' },
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    fileParallelism: false,
    projects: [
      project('unit', sizedFiles('{packages,scripts,bench,test}/**/*.test.ts')),
      project('e2e', sizedFiles('e2e/**/*.e2e.test.ts')),
      project('install', ['e2e/{engines,operate}/*.soak.test.ts']),
      project('drills', ['e2e/drills/*.soak.test.ts']),
    ],
  },
});
