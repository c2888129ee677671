import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineOutput, EngineRequest } from '@atelier/engines/engine.ts';
import { CHILD_PROGRAM, createLineReader, encodeLine, type Tell } from '@atelier/engines/engine-protocol.ts';
import type { EngineRow } from '@atelier/engines/engines.ts';
import { type Confinement, LAUNCH_ENVIRONMENT } from '../../confine/confinement.ts';
import { killGroup } from '../../confine/run-program.ts';
import { measureUse } from '../../confine/measure-use.ts';

export class EngineFailed extends Error {
  override readonly name = 'EngineFailed';
  readonly reason: 'refused' | 'broken' | 'boundary' | 'crash' | 'memory' | 'stopped';
  readonly code: Extract<Tell, { kind: 'refused' }>['code'];
  constructor(reason: EngineFailed['reason'], message: string, code: EngineFailed['code'] = 'internal') {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}

export interface EngineChild {
  /** Paths of the request are inside `dir`; those of the outputs come back as they are outside. */
  run(request: EngineRequest, onProgress: (progress: number) => void): Promise<readonly EngineOutput[]>;
  alive(): boolean;
  /** The folder that the child shares with us. */
  readonly dir: string;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 60_000;
const MEMORY_INTERVAL_MS = 250;
const MAX_COMPLAINT_BYTES = 4_096;
/** A child is replaced long before: the pool counts its runs. */
const CPU_SECONDS = 1_000_000;
const MAX_FILE_BYTES = 4 * 1024 ** 3;
const MAX_OPEN_FILES = 1_024;
const MAX_PROCESSES = 512;
/** The /tmp of a child lies in memory and counts against its limit. */
const MAX_TMP_MB = 256;

const PACKAGES_DIR = dirname(dirname(findPackageJSON(import.meta.url)!));
const ROOT_DIR = dirname(PACKAGES_DIR);

/** Starts a confined child with one engine in it and waits until the engine has loaded. */
export async function startEngineChild(options: {
  confinement: Confinement;
  row: EngineRow;
  dir: string;
  weightsDir: string;
  threads: number;
  signal: AbortSignal;
}): Promise<EngineChild> {
  const { row, dir } = options;
  await mkdir(dir, { recursive: true });
  let place = (outside: string) => outside;
  const launch = options.confinement.launch({
    command: (inside) => {
      place = inside;
      return [
        inside(process.execPath),
        '--no-warnings',
        '--disable-proto=throw',
        inside(CHILD_PROGRAM),
        inside(fileURLToPath(row.module)),
        inside(options.weightsDir),
        String(options.threads),
      ];
    },
    mounts: [
      { from: process.execPath, to: '/app/node' },
      { from: join(ROOT_DIR, 'node_modules'), to: '/app/node_modules' },
      { from: PACKAGES_DIR, to: '/app/packages' },
      ...(existsSync(options.weightsDir) ? [{ from: options.weightsDir, to: '/weights' }] : []),
      { from: dir, to: '/work', writable: true },
    ],
    limits: {
      cpuSeconds: CPU_SECONDS,
      fileBytes: MAX_FILE_BYTES,
      openFiles: MAX_OPEN_FILES,
      processes: MAX_PROCESSES,
    },
    tmpBytes: Math.min(MAX_TMP_MB, row.memoryMb / 2) * 1024 ** 2,
  });
  const child = spawn(launch.file, launch.args, {
    stdio: ['pipe', 'pipe', 'pipe', launch.filterFd ?? 'ignore'],
    env: LAUNCH_ENVIRONMENT,
    detached: true,
  });
  launch.closeFilter();

  let complaint = '';
  let ended: EngineFailed | null = null;
  let listener: ((message: Tell) => void) | null = null;
  let onEnd: ((failure: EngineFailed) => void) | null = null;
  const end = (failure: EngineFailed) => {
    ended ??= failure;
    if (child.pid !== undefined) killGroup(child.pid);
    onEnd?.(ended);
  };
  const read = createLineReader<Tell>((message) => listener?.(message));
  child.stdout!.on('data', (piece: Buffer) => {
    try {
      read(piece);
    } catch (error) {
      end(new EngineFailed('crash', `The engine speaks nonsense: ${(error as Error).message}`));
    }
  });
  child.stderr!.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString('utf8')).slice(-MAX_COMPLAINT_BYTES);
  });
  child.stdin!.on('error', () => {});
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  }).then(() => end(new EngineFailed('crash', `The engine ended: ${complaint.trim() || 'without a word'}`)));

  const watch = setInterval(() => {
    if (child.pid === undefined || ended !== null) return;
    const usedMb = measureUse(child.pid);
    if (usedMb > row.memoryMb) {
      end(
        new EngineFailed(
          'memory',
          `The engine used ${usedMb} MB of memory and temporary space, more than its ${row.memoryMb} MB.`,
        ),
      );
    }
  }, MEMORY_INTERVAL_MS).unref();
  void gone.then(() => clearInterval(watch));

  /** One answer of a kind that `accept` returns something for; everything else that ends the child rejects. */
  const converse = <T>(accept: (message: Tell) => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      if (ended !== null) return reject(ended);
      onEnd = reject;
      listener = (message) => {
        if (message.kind === 'refused') return reject(new EngineFailed('refused', message.message, message.code));
        if (message.kind === 'broken') return reject(new EngineFailed('broken', message.message));
        const accepted = accept(message);
        if (accepted !== undefined) resolve(accepted);
      };
    }).finally(() => {
      listener = null;
      onEnd = null;
    });

  const deadline = setTimeout(
    () => end(new EngineFailed('crash', 'The engine did not load in time.')),
    START_DEADLINE_MS,
  );
  const abort = () => end(new EngineFailed('stopped', 'The engine was stopped.'));
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    options.signal.throwIfAborted();
    await converse((message) => (message.kind === 'ready' ? true : undefined));
  } catch (error) {
    end(new EngineFailed('stopped', 'The engine did not start.'));
    await gone;
    await rm(dir, { recursive: true, force: true });
    throw error;
  } finally {
    clearTimeout(deadline);
    options.signal.removeEventListener('abort', abort);
  }
  // An idle child does not keep the process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref: () => void }).unref();

  const inside = (path: string) => place(path);
  const outside = (path: string) => (options.confinement.mode === 'bwrap' ? path.replace(/^\/work(?=\/)/, dir) : path);
  return {
    dir,
    alive: () => ended === null,
    async run(request, onProgress) {
      const inputs = Object.fromEntries(
        Object.entries(request.inputs).map(([name, paths]) => [name, paths.map(inside)]),
      );
      const answer = converse((message) => {
        if (message.kind === 'progress') onProgress(message.progress);
        return message.kind === 'done' ? message.outputs : undefined;
      });
      if (ended === null) child.stdin!.write(encodeLine({ request: { ...request, inputs, dir: inside(request.dir) } }));
      return (await answer).map((output) => ({
        ...output,
        path: outside(output.path),
        ...(output.downloads && {
          downloads: output.downloads.map((each) => ({ ...each, path: outside(each.path) })),
        }),
        ...(output.subtitles && {
          subtitles: { srtPath: outside(output.subtitles.srtPath), vttPath: outside(output.subtitles.vttPath) },
        }),
      }));
    },
    async stop() {
      child.ref();
      end(new EngineFailed('stopped', 'The engine was stopped.'));
      await gone;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
