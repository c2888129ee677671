import { spawnSync } from 'node:child_process';

/** The pages run in a browser, everything else in Node: each has its own globals. */
const PROJECTS = { server: 'tsconfig.json', console: 'packages/console/tsconfig.json' };

const failed = Object.entries(PROJECTS).filter(([name, path]) => {
  const cache = `.cache/types-${name}.tsbuildinfo`;
  const args = ['-p', path, '--noEmit', '--incremental', '--tsBuildInfoFile', cache];
  return spawnSync('tsc', args, { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) process.exitCode = 1;
