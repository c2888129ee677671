import { execFile } from 'node:child_process';
import { basename } from 'node:path';

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Runs a program and returns its output. */
export function runProgram(
  program: string,
  args: string[],
  options: { cwd: string; user?: { uid: number; gid: number } | undefined },
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { cwd: options.cwd, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, ...options.user },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${basename(program)} ${args[0] ?? ''} failed: ${stderr.trim() || error.code}`));
        else resolve(stdout);
      },
    );
  });
}
