import { type ChildProcess, spawn } from 'node:child_process';

const MAX_STDERR_BYTES = 4_096;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The program gets none of the worker's environment. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };

interface ProgramOptions {
  path: string;
  args: readonly string[];
  cwd: string;
  /** Called for each line of standard error, for programs that report progress there. */
  onLine?: (line: string) => void;
}

/**
 * Starts one program inside an engine's child process. The host kills the whole child on timeout, so there is no deadline
 * here. Arguments never contain customer input, which reaches a program only through a file or standard input.
 * `ended` rejects with the end of standard error unless the program exits with 0.
 */
export function startProgram(options: ProgramOptions): {
  child: ChildProcess & { stdin: NonNullable<ChildProcess['stdin']>; stdout: NonNullable<ChildProcess['stdout']> };
  ended: Promise<void>;
} {
  const { path, args, cwd, onLine } = options;
  const child = spawn(path, args, { cwd, env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'pipe'] });
  // The exit code says why it stopped reading.
  child.stdin.on('error', () => {});
  let [stderr, line] = ['', ''];
  child.stderr.on('data', (piece: Buffer) => {
    const text = piece.toString('utf8');
    stderr = (stderr + text).slice(-MAX_STDERR_BYTES);
    if (onLine === undefined) return;
    const lines = (line + text).split(/[\r\n]/);
    line = (lines.pop() ?? '').slice(-MAX_STDERR_BYTES);
    for (const each of lines) onLine(each);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${path} exited with ${signal ?? code}: ${stderr.trim()}`));
    });
  });
  ended.catch(() => {});
  return { child, ended };
}

/** Runs one program to its end and returns its standard output. */
export async function runProgram(options: ProgramOptions & { input?: Uint8Array | string }): Promise<Buffer> {
  const { child, ended } = startProgram(options);
  child.stdin.end(options.input ?? '');
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_OUTPUT_BYTES) child.kill('SIGKILL');
    else pieces.push(piece);
  });
  await ended;
  return Buffer.concat(pieces);
}
