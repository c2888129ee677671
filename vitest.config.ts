import { defineConfig } from 'vitest/config';

const TEST_TIMEOUT_MS = 90_000;
/** What a test waits for takes milliseconds, but seconds on a machine that withholds its processors. */
const POLL_TIMEOUT_MS = 20_000;
const MAX_WORKERS = 2;
const FOREIGN = ['**/node_modules/**', '**/dist/**', 'test/planted/**'];

export default defineConfig({
  test: {
    maxWorkers: MAX_WORKERS,
    // Files of one worker share their modules, which halves the time: no test replaces a module or leaves state behind in one.
    isolate: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...FOREIGN, '**/*.db.test.ts', '**/*.e2e.test.ts', '**/*.engine.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: ['packages/**/*.db.test.ts', 'scripts/**/*.db.test.ts', 'bench/**/*.db.test.ts'],
          exclude: FOREIGN,
          globalSetup: ['test/services-setup.ts'],
        },
      },
    ],
  },
});
