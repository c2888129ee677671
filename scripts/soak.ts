import { recordSoak, SOAK_PAGE } from './stages/record-soak.ts';
import { runTier } from './stages/run-tier.ts';
import { SOAK_STAGES } from './stages/soak-stages.ts';

process.exitCode = await runTier({
  name: 'soak',
  usage: 'npm run soak --',
  about: `Runs what CI samples or leaves out at its full size, before a release. Stages that ran whole are recorded in ${SOAK_PAGE}.`,
  stages: SOAK_STAGES,
  steady: 'all',
  onEnd: recordSoak,
});
