import { type ChildProcess, spawn } from 'node:child_process';
import { type ConfinedProgram, type Confinement, LAUNCH_ENVIRONMENT } from './confinement.ts';

interface RunLimits {
  readonly deadlineMs: number;
  /** Limit on standard output; a program that writes more is stopped. */
  readonly maxOutputBytes: number;
  /** Receives the output piece by piece; without it the output is collected. */
  readonly onOutput?: (piece: Buffer) => void;
}

export interface ConfinedRun extends ConfinedProgram, RunLimits {}

export interface ProgramRun extends RunLimits {
  readonly path: string;
  readonly args: readonly string[];
  readonly input: Uint8Array;
  readonly signal: AbortSignal;
}

export interface ProgramResult {
  readonly ok: boolean;
  readonly reason: 'done' | 'failed' | 'crash' | 'timeout' | 'overflow';
  readonly output: Buffer;
  /** The first part of standard error, for logs only. */
  readonly complaint: string;
}

const MAX_COMPLAINT_BYTES = 4096;
const TIMEOUT_EXIT_CODE = 124;
const SIGNAL_EXIT_CODE = 128;

/** What the launching programs print when they cannot start the confined one. */
const LAUNCH_FAILURE = /^(?:nice|prlimit|timeout|bwrap): /;

/** Runs a program once on untrusted files. Throws only when the program could not be started. */
export async function runConfined(confinement: Confinement, run: ConfinedRun): Promise<ProgramResult> {
  const launch = confinement.launch(run);
  const child = spawn(launch.file, launch.args, {
    stdio: ['ignore', 'pipe', 'pipe', launch.filterFd ?? 'ignore'],
    env: LAUNCH_ENVIRONMENT,
    detached: true,
  });
  launch.closeFilter();
  const result = await follow(child, run).result;
  if ((result.reason === 'failed' || result.reason === 'crash') && LAUNCH_FAILURE.test(result.complaint))
    throw new Error(`The confined program did not start: ${result.complaint.split('\n')[0]}`);
  return result;
}

/**
 * Runs a program once on trusted data. Throws when the program could not be started or the signal aborts, and
 * settles only when the process has ended, so that nothing writes into a directory that its owner has removed.
 */
export async function runProgram(run: ProgramRun): Promise<ProgramResult> {
  run.signal.throwIfAborted();
  const child = spawn(run.path, run.args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const { result, stop } = follow(child, run);
  // A process that exits early closes its side; its exit code says why.
  child.stdin.on('error', () => {}).end(run.input);
  run.signal.addEventListener('abort', stop, { once: true });
  try {
    return await result;
  } finally {
    run.signal.removeEventListener('abort', stop);
    run.signal.throwIfAborted();
  }
}

/** Collects what a process prints, and kills it with everything it started at a limit. */
function follow(child: ChildProcess, limits: RunLimits): { result: Promise<ProgramResult>; stop: () => void } {
  const pieces: Buffer[] = [];
  const complaints: Buffer[] = [];
  let outputBytes = 0;
  let complaintBytes = 0;
  let reason: ProgramResult['reason'] = 'done';

  const stop = (why: ProgramResult['reason']) => {
    if (reason === 'done') reason = why;
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const deadline = setTimeout(() => stop('timeout'), limits.deadlineMs);
  child.stdout!.on('data', (piece: Buffer) => {
    outputBytes += piece.length;
    if (outputBytes > limits.maxOutputBytes) stop('overflow');
    else if (limits.onOutput) limits.onOutput(piece);
    else pieces.push(piece);
  });
  child.stderr!.on('data', (piece: Buffer) => {
    if (complaintBytes < MAX_COMPLAINT_BYTES) complaints.push(piece.subarray(0, MAX_COMPLAINT_BYTES - complaintBytes));
    complaintBytes += piece.length;
  });
  const result = new Promise<ProgramResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0 && reason === 'done') reason = endedBy(code);
      const complaint = Buffer.concat(complaints).toString('utf8');
      resolve({ ok: reason === 'done', reason, output: Buffer.concat(pieces), complaint });
    });
  }).finally(() => clearTimeout(deadline));
  return { result, stop: () => stop('crash') };
}

/** The launching programs report a signal as 128 plus its number; `timeout` has its own exit code. */
function endedBy(code: number | null): ProgramResult['reason'] {
  if (code === TIMEOUT_EXIT_CODE) return 'timeout';
  return code === null || code > SIGNAL_EXIT_CODE ? 'crash' : 'failed';
}

/** Kills a process and everything in its process group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
