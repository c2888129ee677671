import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { engineTests, isCommandOk, pullWeights } from './engine-works.ts';
import { ROOT } from './root.ts';
import type { Stage, Work } from './stage.ts';
import { vitestCommand } from './vitest-command.ts';

const STEP_MINUTES = 15;
const TEST_MINUTES = 40;
const WITH_SANDBOX = ['node', 'scripts/with-sandbox.ts'];
const KIT = 'packages/conformance';
const OPERATED_PARTS = ['clock', 'endpoints', 'limits', 'outputs', 'switches'];

export const pythonClient: Work = {
  name: 'Python client',
  limitMinutes: STEP_MINUTES,
  report: 'junit',
  command: ({ report }) => [...WITH_SANDBOX, 'scripts/check-python', `--junitxml=${report}`],
};

/** Part of the tests that CI runs, as another implementation would run them. */
export const specificationOnly: Work = {
  name: 'conformance with the specification alone',
  limitMinutes: STEP_MINUTES,
  command: () => [...WITH_SANDBOX, '--clock', 'node', `${KIT}/main.mjs`, '--spec-only', '--no-skips'],
};

/** What every change must pass, on a clean machine. Loops run a part of their rounds here, and all of them in soak. */
export const CI_STAGES: readonly Stage[] = [
  {
    name: 'check',
    summary: 'static checks, generated files, the chart and the release files',
    works: [
      { name: 'static checks', limitMinutes: STEP_MINUTES, command: () => ['node', 'scripts/check.ts'] },
      {
        name: 'chart',
        limitMinutes: STEP_MINUTES,
        command: () => ['scripts/helm-check'],
        // To build helm takes minutes. Without it, the unit tests check what it rendered from the same chart.
        skip: async () => ((await isCommandOk(['scripts/helm-check', '--ready'])) ? null : 'helm is not built here'),
      },
      {
        name: 'release files',
        limitMinutes: STEP_MINUTES,
        command: ({ report }) => [
          ...['node', 'scripts/release.ts', '--snapshot', '--no-images'],
          ...['--out', join(dirname(report), 'release')],
        ],
      },
    ],
  },
  {
    name: 'unit',
    summary: 'unit and database tests',
    sharded: true,
    works: [{ name: 'tests', limitMinutes: TEST_MINUTES, report: 'vitest', command: vitestCommand() }],
  },
  {
    name: 'engines',
    summary: 'tests of local engines, if what they depend on has changed since they last passed',
    works: engineTests({ always: false }),
  },
  {
    name: 'e2e',
    summary: 'end-to-end tests',
    sharded: true,
    works: [
      [
        pullWeights,
        {
          name: 'OpenAI client for Python',
          limitMinutes: STEP_MINUTES,
          command: () => ['scripts/make-venv', 'openai', 'e2e/openai/requirements.txt'],
        },
      ],
      {
        name: 'tests',
        limitMinutes: TEST_MINUTES,
        report: 'vitest',
        command: vitestCommand('--config', 'e2e/vitest.config.ts'),
      },
    ],
  },
  {
    name: 'clients',
    summary: 'the conformance kit and the Python client, each against a sandbox whose books are verified afterwards',
    works: [
      [
        // Waits for windows of a minute, so it runs beside the others.
        conformance('rate limits', ['ratelimit']),
        // Operates its sandbox and changes its clock, which would disturb the others.
        conformance('operated conformance', OPERATED_PARTS, '--clock'),
        conformance('conformance', listOtherParts(['ratelimit', ...OPERATED_PARTS])),
        pythonClient,
      ],
    ],
  },
];

function listOtherParts(parts: readonly string[]): string[] {
  const files = globSync('*.test.mjs', { cwd: join(ROOT, KIT) });
  return files.map((file) => file.replace('.test.mjs', '')).filter((part) => !parts.includes(part));
}

function conformance(name: string, parts: readonly string[], ...options: string[]): Work {
  return {
    name,
    limitMinutes: STEP_MINUTES,
    report: 'tap',
    env: () => ({ CONFORMANCE_NO_SKIPS: 'true' }),
    command: ({ report }) => [
      ...WITH_SANDBOX,
      ...options,
      ...['node', '--test', '--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...['--test-reporter=tap', `--test-reporter-destination=${report}`],
      ...parts.map((part) => `${KIT}/${part}.test.mjs`),
    ],
  };
}
