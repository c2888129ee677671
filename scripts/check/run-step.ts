import { join } from 'node:path';
import { runCommand } from '../stages/run-command.ts';
import type { Step } from './steps.ts';

export interface StepResult {
  readonly name: string;
  readonly ok: boolean;
  readonly skipped: boolean;
  readonly seconds: number;
  readonly output: string;
}

const STEP_TIMEOUT_MS = 600_000;

/** Runs one step and captures its output. The caller prints it only if the step fails. */
export async function runStep(
  step: Step,
  options: { root: string; changed?: readonly string[] | undefined },
): Promise<StepResult> {
  const { root, changed } = options;
  const command = changed === undefined ? step.command(root) : (step.changed?.(changed, root) ?? null);
  if (command === null) return { name: step.name, ok: true, skipped: true, seconds: 0, output: 'nothing to check' };
  const { ok, missing, seconds, output } = await runCommand(command, {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      NO_COLOR: '1',
      ...step.env,
    },
    timeoutMs: STEP_TIMEOUT_MS,
    output: 'keep',
  });
  const skipped = missing && step.optional === true;
  return { name: step.name, ok: ok || skipped, skipped, seconds, output };
}
