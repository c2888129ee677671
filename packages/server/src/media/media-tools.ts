import { availableParallelism } from 'node:os';
import { type ConfineMode, createConfinement, type Mount } from '../confine/confinement.ts';
import { type ProgramResult, runConfined } from '../confine/run-program.ts';
import { ChildFailed, type ChildFailure } from '../confine/start-child.ts';
import { sweepSpool } from '../confine/sweep-spool.ts';
import { createFairSemaphore } from '../platform/flow/semaphore.ts';
import { measurePicture } from './measure-picture.ts';
import { MediaRefused } from './media-facts.ts';
import type { ProbeRequest, ProbeResult } from './probe/probe-protocol.ts';
import { createProbePool } from './probe-pool.ts';

export interface MediaOptions {
  /** A private directory, preferably on the file system that receives the files. */
  spoolDir: string;
  confinement: ConfineMode;
  ffmpegPath: string;
  ffprobePath: string;
  /** Called when a confined program crashed, exceeded a limit or broke the protocol. */
  onIncident?: (incident: MediaIncident) => void;
}

export interface MediaIncident {
  program: 'probe' | 'ffmpeg' | 'ffprobe';
  reason: ChildFailure | 'overflow';
}

export interface ProgramJob {
  program: 'ffmpeg' | 'ffprobe';
  /** Built with the paths the program sees. */
  args: (place: (outside: string) => string) => string[];
  mounts: readonly Mount[];
  deadlineMs: number;
  maxOutputBytes: number;
  maxFileBytes?: number;
  onOutput?: (piece: Buffer) => void;
}

/** Everything that touches untrusted bytes goes through these two. */
export interface MediaTools {
  probe: (job: { request: ProbeRequest; path: string | null; deadlineMs?: number }) => Promise<ProbeResult>;
  runProgram: (job: ProgramJob) => Promise<ProgramResult>;
}

/** The tools of one process: `of` returns those for the files of one account. */
export interface MediaToolBox {
  of: (accountId: string) => MediaTools;
  close: () => Promise<void>;
}

export const FILE_DEADLINE_MS = 15_000;
const RUNS_PER_CORE = 2;
/** One account can use every core; the other half of the places is for other accounts. */
const RUNS_PER_CORE_AND_ACCOUNT = 1;
/**
 * Limit on one account's pixels in progress: for every two cores, one upload of maximum size or many small ones.
 * Decoding is what costs.
 */
const MAX_PICTURE_PIXELS = 8192 * 8192;
const CORES_PER_LARGE_PICTURE = 2;
const PROGRAM_CPU_SECONDS = 30;
const PROGRAM_ADDRESS_BYTES = 1536 * 1024 * 1024;

export function createMediaTools(options: MediaOptions): MediaToolBox {
  sweepSpool(options.spoolDir);
  const confinement = createConfinement({ mode: options.confinement, spoolDir: options.spoolDir });
  const pool = createProbePool({ confinement, spoolDir: options.spoolDir });
  const semaphore = createFairSemaphore({
    places: RUNS_PER_CORE * availableParallelism(),
    placesPerOwner: RUNS_PER_CORE_AND_ACCOUNT * availableParallelism(),
    weightPerOwner: MAX_PICTURE_PIXELS * Math.max(1, Math.floor(availableParallelism() / CORES_PER_LARGE_PICTURE)),
  });
  const paths = { ffmpeg: options.ffmpegPath, ffprobe: options.ffprobePath };

  const toolsOf = (owner: string): MediaTools => ({
    async probe(job) {
      const { task } = job.request;
      const isPicture = (task === 'image' || task === 'alpha-mask') && job.path !== null;
      const weight = isPicture ? ((await measurePicture(job.path as string)) ?? MAX_PICTURE_PIXELS) : 0;
      return semaphore.run({ owner, weight }, async () => {
        try {
          return await pool.probe({ deadlineMs: FILE_DEADLINE_MS, ...job, owner });
        } catch (error) {
          if (!(error instanceof ChildFailed)) throw error;
          options.onIncident?.({ program: 'probe', reason: error.reason });
          throw new MediaRefused('upload_invalid', 'The file cannot be read.');
        }
      });
    },
    runProgram: ({ program, args, mounts, deadlineMs, maxOutputBytes, maxFileBytes, onOutput }) =>
      semaphore.run({ owner, weight: 0 }, async () => {
        const result = await runConfined(confinement, {
          command: (place) => [paths[program], ...args(place)],
          mounts,
          deadlineMs,
          maxOutputBytes,
          ...(onOutput ? { onOutput } : {}),
          limits: {
            cpuSeconds: PROGRAM_CPU_SECONDS,
            fileBytes: maxFileBytes ?? 0,
            addressBytes: PROGRAM_ADDRESS_BYTES,
            wallSeconds: Math.ceil(deadlineMs / 1000) + 1,
          },
        });
        if (result.reason !== 'done' && result.reason !== 'failed') {
          options.onIncident?.({ program, reason: result.reason });
        }
        return result;
      }),
  });
  return {
    of: toolsOf,
    async close() {
      await pool.close();
      confinement.close();
    },
  };
}
