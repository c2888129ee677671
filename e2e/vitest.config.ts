import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const TEST_TIMEOUT_MS = 180_000;

export default defineConfig({
  test: {
    name: 'e2e',
    root: join(import.meta.dirname, '..'),
    include: ['e2e/**/*.e2e.test.ts'],
    globalSetup: ['test/services-setup.ts'],
    // Each file starts real processes: one at a time.
    fileParallelism: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
  },
});
