import { CI_STAGES } from './stages/ci-stages.ts';
import { runTier } from './stages/run-tier.ts';

/** `.ci/run` sets up the machine first and says how long that took. */
const setupSeconds = Number(process.env.SETUP_SECONDS ?? Number.NaN);

process.exitCode = await runTier({
  name: 'ci',
  usage: '.ci/run',
  about: 'Sets up a clean machine and runs what every change must pass. Stops at the first step that fails.',
  stages: CI_STAGES,
  steady: 'strict',
  before: Number.isNaN(setupSeconds)
    ? []
    : [
        {
          ...{ stage: 'setup', name: 'scripts/setup', seconds: setupSeconds },
          ...{ passed: 1, failed: 0, skipped: null, files: [], unsteady: [] },
        },
      ],
});
