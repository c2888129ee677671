import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const TEST_TIMEOUT_MS = 300_000;

/** Tests that run real engines: one file at a time, since each uses all cores. */
export default defineConfig({
  test: {
    name: 'engines',
    root: join(import.meta.dirname, '..'),
    include: ['packages/**/*.engine.test.ts'],
    fileParallelism: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
  },
});
