import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const TEST_TIMEOUT_MS = 180_000;
/** Of a file whose tests are marked as concurrent: they wait for the service most of the time. */
const MAX_CONCURRENT_TESTS = 4;

/**
 * Tests that measure time, memory or load, or use fixed ports: one at a time, while nothing else runs. Where only a limit of time needs that,
 * the limit is wider in CI (`sized`) and soak checks it: then the file is not in this list.
 */
const ALONE = [
  'e2e/docs/operate.e2e.test.ts',
  'e2e/files/upload-fairness.e2e.test.ts',
  'e2e/files/upload-forms.e2e.test.ts',
  'e2e/files/upload-load.e2e.test.ts',
  'e2e/http/caching.e2e.test.ts',
  'e2e/http/fuzz.e2e.test.ts',
  'e2e/http/graceful-shutdown.e2e.test.ts',
  'e2e/http/hostile-http.e2e.test.ts',
  'e2e/http/hostile-json.e2e.test.ts',
  'e2e/http/key-revocation.e2e.test.ts',
  'e2e/http/rate-limit.e2e.test.ts',
  'e2e/http/slow-clients.e2e.test.ts',
  'e2e/money/fairness.e2e.test.ts',
  'e2e/webhooks/latency.e2e.test.ts',
  'e2e/webhooks/load.e2e.test.ts',
];

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    globalSetup: ['test/services-setup.ts'],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    maxConcurrency: MAX_CONCURRENT_TESTS,
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'e2e-alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
