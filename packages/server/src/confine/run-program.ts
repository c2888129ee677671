import { spawn } from 'node:child_process';
import { type ConfinedProgram, type Confinement, LAUNCH_ENVIRONMENT } from './confinement.ts';

export interface ProgramRun extends ConfinedProgram {
  deadlineMs: number;
  /** The most it may print; beyond it the program is stopped. */
  maxOutputBytes: number;
  /** Given every piece of output; without it the output is collected. */
  onOutput?: (piece: Buffer) => void;
}

export interface ProgramResult {
  ok: boolean;
  reason: 'done' | 'failed' | 'crash' | 'timeout' | 'overflow';
  output: Buffer;
  /** The first part of what it said, for logs only. */
  complaint: string;
}

const MAX_COMPLAINT_BYTES = 4096;
const TIMEOUT_EXIT_CODE = 124;
const SIGNAL_EXIT_CODE = 128;

/** How the programs in front of the real one exit when they cannot start it. */
const LAUNCH_FAILURE = /^(?:nice|prlimit|timeout|bwrap): /;

/** Runs one program once on untrusted files. Throws only when it could not be started at all. */
export function runConfined(confinement: Confinement, run: ProgramRun): Promise<ProgramResult> {
  const launch = confinement.launch(run);
  const child = spawn(launch.file, launch.args, {
    stdio: ['ignore', 'pipe', 'pipe', launch.filterFd ?? 'ignore'],
    env: LAUNCH_ENVIRONMENT,
    detached: true,
  });
  launch.closeFilter();

  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const complaints: Buffer[] = [];
    let outputBytes = 0;
    let complaintBytes = 0;
    let reason: ProgramResult['reason'] = 'done';

    const stop = (why: ProgramResult['reason']) => {
      if (reason === 'done') reason = why;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const deadline = setTimeout(() => stop('timeout'), run.deadlineMs);

    child.stdout!.on('data', (piece: Buffer) => {
      outputBytes += piece.length;
      if (outputBytes > run.maxOutputBytes) stop('overflow');
      else if (run.onOutput) run.onOutput(piece);
      else pieces.push(piece);
    });
    child.stderr!.on('data', (piece: Buffer) => {
      if (complaintBytes < MAX_COMPLAINT_BYTES)
        complaints.push(piece.subarray(0, MAX_COMPLAINT_BYTES - complaintBytes));
      complaintBytes += piece.length;
    });
    child.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    child.on('close', (code) => {
      clearTimeout(deadline);
      const complaint = Buffer.concat(complaints).toString('utf8');
      if (code !== 0 && reason === 'done') {
        if (LAUNCH_FAILURE.test(complaint)) {
          reject(new Error(`The confined program did not start: ${complaint.split('\n')[0]}`));
          return;
        }
        reason = endedBy(code);
      }
      resolve({ ok: reason === 'done', reason, output: Buffer.concat(pieces), complaint });
    });
  });
}

/** The programs in front pass a signal on as 128 and its number; `timeout` has a number of its own. */
function endedBy(code: number | null): ProgramResult['reason'] {
  if (code === TIMEOUT_EXIT_CODE) return 'timeout';
  return code === null || code > SIGNAL_EXIT_CODE ? 'crash' : 'failed';
}

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
