import { spawn } from 'node:child_process';
import { join } from 'node:path';
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
export async function runStep(step: Step, options: { root: string }): Promise<StepResult> {
  const startedAt = performance.now();
  const command = step.command(options.root);
  if (command === null) return { name: step.name, ok: true, skipped: true, seconds: 0, output: 'nothing to check' };
  const [program, ...args] = command;
  const bin = join(options.root, 'node_modules/.bin');
  const child = spawn(program, args, {
    cwd: options.root,
    env: { ...process.env, PATH: `${bin}:${process.env.PATH ?? ''}`, NO_COLOR: '1', ...step.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: STEP_TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = Promise.withResolvers<{ ok: boolean; skipped: boolean }>();
  child.on('error', (error: NodeJS.ErrnoException) => {
    const skipped = step.optional === true && error.code === 'ENOENT';
    output += skipped ? `${program} is not installed on this machine` : String(error);
    ended.resolve({ ok: skipped, skipped });
  });
  child.on('close', (code, signal) => {
    if (signal !== null) output += `\nkilled by ${signal} (the timeout is ${STEP_TIMEOUT_MS / 1000} s)`;
    ended.resolve({ ok: code === 0, skipped: false });
  });
  const { ok, skipped } = await ended.promise;
  return { name: step.name, ok, skipped, seconds: (performance.now() - startedAt) / 1000, output };
}
