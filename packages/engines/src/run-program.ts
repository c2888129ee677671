import { spawn } from 'node:child_process';

const MAX_STDERR_BYTES = 4_096;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };

/**
 * Runs one program inside an engine's child process. The host kills the whole child on timeout, so there is no deadline
 * here. Arguments never contain customer input, which reaches a program only through a file or standard input.
 */
export function runProgram(options: {
  path: string;
  args: readonly string[];
  cwd: string;
  input?: Uint8Array | string;
  /** Called for each line of standard error, for programs that report progress there. */
  onLine?: (line: string) => void;
}): Promise<Buffer> {
  const child = spawn(options.path, options.args, {
    cwd: options.cwd,
    env: ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let [bytes, stderr, line] = [0, '', ''];
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > MAX_OUTPUT_BYTES) child.kill('SIGKILL');
      else pieces.push(piece);
    });
    child.stderr.on('data', (piece: Buffer) => {
      const text = piece.toString('utf8');
      stderr = (stderr + text).slice(-MAX_STDERR_BYTES);
      if (options.onLine === undefined) return;
      const lines = (line + text).split(/[\r\n]/);
      line = (lines.pop() ?? '').slice(-MAX_STDERR_BYTES);
      for (const each of lines) options.onLine(each);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(pieces));
      else reject(new Error(`${options.path} exited with ${signal ?? code}: ${stderr.trim()}`));
    });
  });
}
