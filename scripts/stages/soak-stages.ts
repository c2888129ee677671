import { pythonClient, specificationOnly } from './ci-stages.ts';
import { engineTests, pullWeights } from './engine-works.ts';
import type { Stage, Work } from './stage.ts';
import { vitestCommand } from './vitest-command.ts';

const STEP_MINUTES = 30;
const STAGE_MINUTES = 60;

const tests = (project: string): Work => ({
  name: 'tests',
  limitMinutes: STAGE_MINUTES,
  report: 'vitest',
  command: vitestCommand('--config', 'test/soak.vitest.config.ts', '--project', project),
});

/** What CI samples or leaves out, at its full size. Each stage fits into an hour on two cores. */
export const SOAK_STAGES: readonly Stage[] = [
  {
    name: 'unit',
    summary: 'unit tests that CI samples: all views of the console, the whole hostile corpus',
    works: [tests('unit')],
  },
  { name: 'engines', summary: 'tests of local engines', works: engineTests({ always: true }) },
  {
    name: 'e2e',
    summary: 'end-to-end tests that CI runs with fewer rounds, one file at a time, with their limits of time',
    sharded: true,
    works: [pullWeights, tests('e2e')],
  },
  {
    name: 'clients',
    summary: 'the Python client, with 1,000 creates through a proxy that loses answers',
    works: [{ ...pythonClient, env: () => ({ TEST_SIZE: 'full' }) }, specificationOnly],
  },
  {
    name: 'install',
    summary: 'slim installation, real Cog servers, alerts of a running service',
    works: [
      { name: 'Cog releases', limitMinutes: STEP_MINUTES, command: () => ['scripts/setup-cog'] },
      pullWeights,
      tests('install'),
    ],
  },
  {
    name: 'drills',
    summary: 'failover, recovery to a point in time, rolling restarts',
    works: [tests('drills')],
  },
];
