import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineOutput, EngineRequest } from '@atelier/engines/engine.ts';
import { CHILD_PROGRAM, createLineReader, encodeLine, type Tell } from '@atelier/engines/engine-protocol.ts';
import type { EngineRow } from '@atelier/engines/engines.ts';
import type { PooledChild } from '../../confine/child-pool.ts';
import type { Confinement } from '../../confine/confinement.ts';
import { ChildFailed, startChild } from '../../confine/start-child.ts';
import { EngineFailed } from './engine-failed.ts';

export interface EngineChild extends PooledChild {
  /** Paths of the request are inside `dir`; those of the outputs are translated back to paths outside the child. */
  run(request: EngineRequest, onProgress: (progress: number) => void): Promise<readonly EngineOutput[]>;
  /** The folder shared with the child. */
  readonly dir: string;
}

const START_DEADLINE_MS = 60_000;
/** The pool replaces a child long before. */
const CPU_SECONDS = 1_000_000;
const MAX_FILE_BYTES = 4 * 1024 ** 3;
const MAX_OPEN_FILES = 1_024;
const MAX_PROCESSES = 512;
/** The /tmp of a child is in memory and counts against its limit. */
const MAX_TMP_MB = 256;

const PACKAGES_DIR = dirname(dirname(findPackageJSON(import.meta.url)!));
const ROOT_DIR = dirname(PACKAGES_DIR);

/** Starts a confined child with one engine and waits until the engine has loaded. */
export async function startEngineChild(options: {
  confinement: Confinement;
  row: EngineRow;
  dir: string;
  weightsDir: string;
  threads: number;
  signal: AbortSignal | undefined;
}): Promise<EngineChild> {
  const { confinement, row, dir, weightsDir, signal } = options;
  let inside = (outside: string) => outside;
  const child = await startChild<Tell>({
    confinement,
    dir,
    program: {
      command: (place) => {
        inside = place;
        return [
          place(process.execPath),
          '--no-warnings',
          '--disable-proto=throw',
          place(CHILD_PROGRAM),
          place(fileURLToPath(row.module)),
          place(weightsDir),
          String(options.threads),
        ];
      },
      mounts: [
        { from: process.execPath, to: '/app/node' },
        { from: join(ROOT_DIR, 'node_modules'), to: '/app/node_modules' },
        { from: PACKAGES_DIR, to: '/app/packages' },
        ...(existsSync(weightsDir) ? [{ from: weightsDir, to: '/weights' }] : []),
        { from: dir, to: '/work', writable: true },
      ],
      limits: {
        cpuSeconds: CPU_SECONDS,
        fileBytes: MAX_FILE_BYTES,
        openFiles: MAX_OPEN_FILES,
        processes: MAX_PROCESSES,
      },
      tmpBytes: Math.min(MAX_TMP_MB, row.memoryMb / 2) * 1024 ** 2,
    },
    startDeadlineMs: START_DEADLINE_MS,
    signal,
    createReader: (onMessage) => createLineReader<Tell>(onMessage),
    isReady: (message) => accept(message, ({ kind }) => kind === 'ready' || undefined) ?? false,
    unexpected: 'ignore',
    maxMemoryMb: row.memoryMb,
  }).catch(rethrow);

  const outside = (path: string) => (confinement.mode === 'bwrap' ? path.replace(/^\/work(?=\/)/, dir) : path);
  return {
    dir,
    usable: child.usable,
    stop: child.stop,
    async run(request, onProgress) {
      const inputs = Object.fromEntries(
        Object.entries(request.inputs).map(([name, paths]) => [name, paths.map((path) => inside(path))]),
      );
      const outputs = await child
        .exchange({
          send: encodeLine({ request: { ...request, inputs, dir: inside(request.dir) } }),
          accept: (each) =>
            accept(each, (message) => {
              if (message.kind === 'progress') onProgress(message.progress);
              return message.kind === 'done' ? message.outputs : undefined;
            }),
        })
        .catch(rethrow);
      return outputs.map((output) => ({
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
  };
}

/** An engine reports at any time that it refuses the request or is broken. */
function accept<T>(message: Tell, read: (message: Tell) => T | undefined): T | undefined {
  if (message.kind === 'refused') throw new EngineFailed('refused', message.message, message.code);
  if (message.kind === 'broken') throw new EngineFailed('broken', message.message);
  return read(message);
}

function rethrow(error: unknown): never {
  if (!(error instanceof ChildFailed)) throw error;
  const reason = error.reason === 'memory' || error.reason === 'stopped' ? error.reason : 'crash';
  throw new EngineFailed(reason, error.message);
}
