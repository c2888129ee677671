import { ENGINE_DIGEST_FILE, isEngineDigestCurrent, writeEngineDigest } from './engine-digest.ts';
import { ROOT } from './root.ts';
import { runCommand } from './run-command.ts';
import type { Work } from './stage.ts';
import { vitestCommand } from './vitest-command.ts';

const STEP_MINUTES = 15;
const ENGINE_MINUTES = 40;
/** 289 MB in total. Engines that need more weights are tested with `npm run gallery` before a release. */
const WEIGHTS = ['migan', 'modnet', 'silueta', 'realesrgan-x2', 'moonshine-tiny'];

export const pullWeights: Work = {
  name: 'weights',
  limitMinutes: STEP_MINUTES,
  command: () => ['node', 'packages/server/src/main.ts', 'weights', 'pull', ...WEIGHTS],
};

/** The tests of local engines. `always`: also if they passed with the same inputs before. */
export function engineTests({ always }: { always: boolean }): readonly Work[] {
  const skip = async () =>
    !always && (await isEngineDigestCurrent(ROOT)) ? 'passed before with the same inputs' : null;
  return [
    { ...pullWeights, skip },
    {
      name: 'tests',
      limitMinutes: ENGINE_MINUTES,
      report: 'vitest',
      command: vitestCommand('--config', 'test/engines.vitest.config.ts'),
      skip,
      onPass: async () => {
        await writeEngineDigest(ROOT);
        console.log(`wrote ${ENGINE_DIGEST_FILE}: commit it, and CI skips these tests until their inputs change`);
      },
    },
  ];
}

export async function isCommandOk(command: readonly string[]): Promise<boolean> {
  const options = { cwd: ROOT, env: process.env, timeoutMs: 60_000, output: 'keep' } as const;
  return (await runCommand(command, options)).ok;
}
