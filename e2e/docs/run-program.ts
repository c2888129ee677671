import { type ChildProcess, spawn } from 'node:child_process';

export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

export interface RunningProgram {
  readonly output: () => string;
  readonly ended: Promise<ProgramResult>;
  stop(): void;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly timeoutMs: number;
}

/** Starts a program in its own process group, so that all its children end with it. */
export function startProgram([program = '', ...args]: readonly string[], options: ProgramOptions): RunningProgram {
  const child: ChildProcess = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // The process group no longer exists.
    }
  };
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const timer = setTimeout(stop, options.timeoutMs);
  const ended = new Promise<ProgramResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      stop();
      resolve({ code, output });
    });
  });
  return { output: () => output, ended, stop };
}
