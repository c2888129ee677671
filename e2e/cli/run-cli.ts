import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../packages/cli/src/main.ts');
const TIMEOUT_MS = 120_000;

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects
  json(): any;
}

export interface RunningCli {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<CliResult>;
}

export interface CliOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Runs it in a pseudo terminal of 80 columns: everything arrives on stdout. */
  readonly isTty?: boolean;
}

export function startCli(args: readonly string[], { env, input, isTty }: CliOptions): RunningCli {
  const command = [process.execPath, MAIN, ...args];
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const [program, ...rest] = isTty ? ['script', '-qefc', `stty cols 80 rows 30; ${quoted}`, '/dev/null'] : command;
  const child = spawn(program!, rest, { env: { PATH: process.env.PATH, ...env }, timeout: TIMEOUT_MS });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  if (input !== undefined || !isTty) child.stdin.end(input);
  const ended = new Promise<CliResult>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, stdout, stderr, json: () => JSON.parse(stdout) }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

export const runCli = (args: readonly string[], options: CliOptions): Promise<CliResult> =>
  startCli(args, options).ended;
