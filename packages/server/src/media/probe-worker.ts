import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Confinement, LAUNCH_ENVIRONMENT } from '../confine/confinement.ts';
import { killGroup } from '../confine/run-program.ts';
import { linkOrCopy } from '../platform/link-or-copy.ts';
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

export type WorkerFailure = 'crash' | 'timeout' | 'nonsense';

/** The child did not survive the file it was given. */
export class ProbeFailed extends Error {
  override readonly name = 'ProbeFailed';
  readonly failure: WorkerFailure;

  constructor(failure: WorkerFailure) {
    super(`The media child ended by ${failure}.`);
    this.failure = failure;
  }
}

export interface ProbeWorker {
  probe: (job: { request: ProbeRequest; path: string | null; deadlineMs: number }) => Promise<ProbeResult>;
  /** Whether it lives and still sees the folder in which it is shown its files. */
  usable: () => boolean;
  stop: () => Promise<void>;
}

/** The life of a child in processor time; it is replaced long before. */
const CPU_SECONDS = 240;
/** Half of it is what the runtime reserves before it starts. */
const DATA_BYTES = 1536 * 1024 * 1024;
const HEAP_MB = 512;
const START_DEADLINE_MS = 15_000;
const MAX_COMPLAINT_BYTES = 2048;

const MEDIA_DIR = dirname(fileURLToPath(import.meta.url));
const PACKAGE_FILE = findPackageJSON(import.meta.url)!;
const NODE_MODULES = dirname(dirname(findPackageJSON('sharp', import.meta.url)!));

/** Starts a confined child and waits until it is ready. Its directory shows it one file at a time. */
export async function startProbeWorker({
  confinement,
  dir,
}: {
  confinement: Confinement;
  dir: string;
}): Promise<ProbeWorker> {
  await mkdir(dir, { recursive: true });
  const launch = confinement.launch({
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
  });
  const child = spawn(launch.file, launch.args, {
    stdio: ['pipe', 'pipe', 'pipe', launch.filterFd ?? 'ignore'],
    env: LAUNCH_ENVIRONMENT,
    detached: true,
  });
  launch.closeFilter();

  let alive = true;
  let complaint = '';
  let pending: { resolve: (result: ProbeResult) => void; reject: (error: Error) => void } | null = null;

  const end = (failure: WorkerFailure) => {
    alive = false;
    if (child.pid !== undefined) killGroup(child.pid);
    pending?.reject(new ProbeFailed(failure));
    pending = null;
  };
  const limits = { maxJsonBytes: MAX_ANSWER_BYTES, maxPictureBytes: MAX_PICTURE_BYTES };
  const readFrames = createFrameReader(limits, (json, picture) => {
    const answer = readAnswer(json);
    if (!answer || !pending || !isPicture(picture)) return end('nonsense');
    pending.resolve({ answer, picture });
    pending = null;
  });
  child.stdout!.on('data', (piece: Buffer) => {
    try {
      readFrames(piece);
    } catch {
      end('nonsense');
    }
  });
  child.stderr!.on('data', (piece: Buffer) => {
    if (complaint.length < MAX_COMPLAINT_BYTES) complaint += piece.toString('utf8').slice(0, MAX_COMPLAINT_BYTES);
  });
  child.stdin!.on('error', () => end('crash'));
  const gone = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('exit', () => resolve());
  }).then(() => end('crash'));

  const exchange = (message: Buffer | null, deadlineMs: number) =>
    new Promise<ProbeResult>((resolve, reject) => {
      const deadline = setTimeout(() => end('timeout'), deadlineMs);
      pending = {
        resolve: (result) => {
          clearTimeout(deadline);
          resolve(result);
        },
        reject: (error) => {
          clearTimeout(deadline);
          reject(error);
        },
      };
      if (!alive) end('crash');
      else if (message) child.stdin!.write(message);
    });

  try {
    await exchange(null, START_DEADLINE_MS);
  } catch {
    await gone;
    await rm(dir, { recursive: true, force: true });
    throw new Error(`The media child did not start: ${complaint.trim().slice(0, 500) || 'no word from it'}`);
  }
  // An idle child does not keep the process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref: () => void }).unref();

  const slot = join(dir, PROBED_FILE);
  return {
    usable: () => alive && existsSync(dir),
    async probe({ request, path, deadlineMs }) {
      if (path !== null) {
        await rm(slot, { force: true });
        await linkOrCopy({ from: path, to: slot });
      }
      try {
        return await exchange(encodeFrame(request), deadlineMs);
      } finally {
        if (path !== null) await rm(slot, { force: true });
      }
    },
    async stop() {
      child.ref();
      end('crash');
      await gone;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** It is handed on to browsers as a WebP, so it had better begin like one. */
function isPicture(picture: Buffer): boolean {
  const begin = picture.toString('latin1', 0, 12);
  return picture.length === 0 || (begin.startsWith('RIFF') && begin.endsWith('WEBP'));
}
