import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createChildPool, NO_KEY, type PooledChild } from '../confine/child-pool.ts';
import type { Confinement } from '../confine/confinement.ts';
import { startChild } from '../confine/start-child.ts';
import { makeSpoolDir } from '../confine/sweep-spool.ts';
import { linkOrCopy } from '../platform/spool.ts';
import {
  createFrameReader,
  encodeFrame,
  MAX_ANSWER_BYTES,
  MAX_PICTURE_BYTES,
  PROBED_FILE,
  type ProbeRequest,
  type ProbeResult,
  readAnswer,
} from './probe/probe-protocol.ts';

interface ProbeJob {
  readonly request: ProbeRequest;
  readonly path: string | null;
  readonly deadlineMs: number;
}

export interface ProbePool {
  /** The caller limits how many run at once. `owner` is whose file it is: a child reads the files of one owner only. */
  probe: (job: ProbeJob & { owner: string }) => Promise<ProbeResult>;
  close: () => Promise<void>;
}

interface ProbeChild extends PooledChild {
  probe: (job: ProbeJob) => Promise<ProbeResult>;
}

const MAX_FILES_PER_CHILD = 64;
const MAX_BUSY_MS_PER_CHILD = 60_000;
const IDLE_MS = 60_000;
const SPARE_CHILDREN = 2;
const MAX_IDLE_CHILDREN = 4;

/** CPU time limit of a child; it is replaced long before. */
const CPU_SECONDS = 240;
/** Half of it is what the runtime reserves before it starts. */
const DATA_BYTES = 1536 * 1024 * 1024;
const HEAP_MB = 512;
const START_DEADLINE_MS = 15_000;

const MEDIA_DIR = dirname(fileURLToPath(import.meta.url));
const PACKAGE_FILE = findPackageJSON(import.meta.url)!;
const NODE_MODULES = dirname(dirname(findPackageJSON('sharp', import.meta.url)!));

/** Confined processes that read untrusted files. */
export function createProbePool({ confinement, spoolDir }: { confinement: Confinement; spoolDir: string }): ProbePool {
  const dir = makeSpoolDir({ spoolDir, use: 'probe' });
  const pool = createChildPool<ProbeChild>({
    start: () => startProbeChild({ confinement, dir: join(dir, randomUUID()) }),
    maxRuns: MAX_FILES_PER_CHILD,
    maxBusyMs: MAX_BUSY_MS_PER_CHILD,
    idleMs: IDLE_MS,
    maxIdle: MAX_IDLE_CHILDREN,
    spares: SPARE_CHILDREN,
  });
  return {
    // A request without a file leaves nothing behind in the child.
    probe: ({ owner, ...job }) => pool.use({ key: job.path === null ? NO_KEY : owner }, (child) => child.probe(job)),
    async close() {
      await pool.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The child's directory holds one file at a time. */
async function startProbeChild({ confinement, dir }: { confinement: Confinement; dir: string }): Promise<ProbeChild> {
  const child = await startChild<ProbeResult>({
    confinement,
    dir,
    program: {
      command: (place) => [
        place(process.execPath),
        `--max-old-space-size=${HEAP_MB}`,
        '--disable-proto=throw',
        '--no-warnings',
        place(join(MEDIA_DIR, 'probe-child.ts')),
        join(place(dir), PROBED_FILE),
      ],
      mounts: [
        { from: process.execPath, to: '/app/node' },
        { from: NODE_MODULES, to: '/app/node_modules' },
        { from: PACKAGE_FILE, to: '/app/package.json' },
        { from: MEDIA_DIR, to: '/app/media' },
        { from: dir, to: '/in' },
      ],
      limits: { cpuSeconds: CPU_SECONDS, fileBytes: 0, dataBytes: DATA_BYTES },
    },
    startDeadlineMs: START_DEADLINE_MS,
    createReader: readResults,
    isReady: () => true,
    unexpected: 'end',
  }).catch((error: Error) => {
    // Not a ChildFailed: no file is the cause.
    throw new Error(`The media process did not start: ${error.message}`);
  });

  const slot = join(dir, PROBED_FILE);
  return {
    usable: child.usable,
    stop: child.stop,
    async probe({ request, path, deadlineMs }) {
      if (path !== null) {
        await rm(slot, { force: true });
        await linkOrCopy({ from: path, to: slot });
      }
      try {
        return await child.exchange({ send: encodeFrame(request), accept: (result) => result, deadlineMs });
      } finally {
        if (path !== null) await rm(slot, { force: true });
      }
    },
  };
}

function readResults(onResult: (result: ProbeResult) => void): (piece: Buffer) => void {
  const limits = { maxJsonBytes: MAX_ANSWER_BYTES, maxPictureBytes: MAX_PICTURE_BYTES };
  return createFrameReader(limits, (json, picture) => {
    const answer = readAnswer(json);
    if (answer === null || !isPicture(picture)) throw new Error('invalid answer');
    onResult({ answer, picture });
  });
}

/** Browsers get the picture as WebP, so it must begin like one. */
function isPicture(picture: Buffer): boolean {
  const begin = picture.toString('latin1', 0, 12);
  return picture.length === 0 || (begin.startsWith('RIFF') && begin.endsWith('WEBP'));
}
