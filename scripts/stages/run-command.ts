import { type StdioOptions, spawn } from 'node:child_process';

const KILL_AFTER_MS = 10_000;
const STDIO: Readonly<Record<Output, StdioOptions>> = {
  stdout: ['ignore', 'inherit', 'inherit'],
  stderr: ['ignore', process.stderr.fd, 'inherit'],
  keep: ['ignore', 'pipe', 'pipe'],
};

export type Output = 'stdout' | 'stderr' | 'keep';

export interface CommandOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Prints the output as it comes, or returns it. */
  readonly output: Output;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

export interface CommandResult {
  readonly ok: boolean;
  readonly seconds: number;
  /** The program is not installed. */
  readonly missing: boolean;
  readonly output: string;
}

/** Runs a program in its own process group. When the time is over or the signal comes, the whole group is ended. */
export async function runCommand(command: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const [program = '', ...args] = command;
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: STDIO[options.output],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const say = (text: string) => {
    output += text;
    if (options.output !== 'keep') process.stderr.write(text);
  };
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The group has ended.
    }
  };
  let killing: NodeJS.Timeout | undefined;
  const end = () => {
    kill('SIGTERM');
    killing ??= setTimeout(() => kill('SIGKILL'), KILL_AFTER_MS);
  };
  const limit = setTimeout(() => {
    say(`\ntook longer than ${Math.round(options.timeoutMs / 1000)} s: ${command.join(' ')}\n`);
    end();
  }, options.timeoutMs);
  if (options.signal?.aborted) end();
  options.signal?.addEventListener('abort', end, { once: true });

  const ended = Promise.withResolvers<{ ok: boolean; missing: boolean }>();
  child.on('error', (error: NodeJS.ErrnoException) => {
    say(`${program}: ${error.message}\n`);
    ended.resolve({ ok: false, missing: error.code === 'ENOENT' });
  });
  child.on('close', (code, signal) => {
    if (signal !== null) say(`\n${program} was ended by ${signal}\n`);
    ended.resolve({ ok: code === 0, missing: false });
  });
  const { ok, missing } = await ended.promise;
  clearTimeout(limit);
  clearTimeout(killing);
  options.signal?.removeEventListener('abort', end);
  return { ok, missing, seconds: (performance.now() - startedAt) / 1000, output };
}
