import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const TEST_TIMEOUT_MS = 600_000;

/** Drills of the operator's guide that start database servers of their own, too long for each change: `npm run drills`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    globalSetup: ['test/services-setup.ts'],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    include: ['e2e/drills/*.drill.test.ts'],
    fileParallelism: false,
  },
});
