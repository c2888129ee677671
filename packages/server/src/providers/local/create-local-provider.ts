import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EngineRequest } from '@atelier/engines/engine.ts';
import type { EngineRow } from '@atelier/engines/engines.ts';
import { createChildPool } from '../../confine/child-pool.ts';
import type { ConfineMode } from '../../confine/confinement.ts';
import { createConfinement } from '../../confine/confinement.ts';
import { createSemaphore } from '../../platform/flow/semaphore.ts';
import { isDiskFull, spoolFull } from '../../platform/spool.ts';
import { type ProducedOutput, type Provider, ProviderError } from '../provider.ts';
import { EngineFailed } from './engine-failed.ts';
import { type EngineFolder, openEngineFolder } from './engine-folder.ts';
import { engineTable } from './engine-table.ts';
import { startEngineChild } from './start-engine-child.ts';

export interface LocalProviderOptions {
  readonly confinement: ConfineMode;
  readonly spoolDir: string;
  readonly weightsDir: string;
  /** Engines whose weights, programs and packages this machine has. */
  readonly available: ReadonlySet<string>;
  readonly cores: number;
  readonly idleMs: number;
  /** The engines table; tests pass their own. */
  readonly table?: Readonly<Record<string, EngineRow>>;
  /** Called when an engine itself caused the failure. */
  onIncident(incident: { engine: string; reason: string }): void;
}

export interface LocalProvider extends Provider {
  /**
   * Runs an engine for internal use, such as a classifier, and returns the text of its one output. Null when it is not
   * installed here.
   */
  runApart(
    engine: string,
    request: {
      settings: Readonly<Record<string, unknown>>;
      inputs: Readonly<Record<string, readonly string[]>>;
      signal: AbortSignal;
    },
  ): Promise<string | null>;
  close(): Promise<void>;
}

const CORES_PER_HEAVY_RUN = 2;
const MAX_IDLE_CHILDREN = 6;
const MAX_RUNS_PER_CHILD = 200;

/** Runs engines on the processors of this machine, each in its own confined child process. */
export function createLocalProvider(options: LocalProviderOptions): LocalProvider {
  const table: Readonly<Record<string, EngineRow>> = options.table ?? engineTable;
  const confinement = createConfinement({ mode: options.confinement, spoolDir: options.spoolDir });
  const heavyRuns = Math.max(1, Math.floor(options.cores / CORES_PER_HEAVY_RUN));
  const places = { heavy: createSemaphore(heavyRuns), light: createSemaphore(options.cores) };
  const pool = createChildPool({
    start: (name, signal) =>
      startEngineChild({
        confinement,
        row: table[name]!,
        dir: join(options.spoolDir, `engine-${randomUUID()}`),
        weightsDir: options.weightsDir,
        threads: Math.min(CORES_PER_HEAVY_RUN, options.cores),
        signal,
      }),
    maxRuns: MAX_RUNS_PER_CHILD,
    idleMs: options.idleMs,
    maxIdle: MAX_IDLE_CHILDREN,
  });

  /** Runs one request in its own folder; `take` gets the engine's outputs before the folder is removed. */
  const run = <T>(
    name: string,
    request: Omit<EngineRequest, 'dir'> & { signal: AbortSignal; report: (progress: number) => void },
    take: (outputs: readonly ProducedOutput[], from: OutputFolder) => Promise<T>,
  ): Promise<T> =>
    pool.use({ key: name, signal: request.signal }, async (child) => {
      const id = randomUUID();
      const dir = join(child.dir, id);
      const held: EngineFolder[] = [await openEngineFolder(child.dir)];
      const make = async (parent: EngineFolder, folder: string): Promise<EngineFolder> => {
        const made = await parent.make(folder);
        held.push(made);
        return made;
      };
      try {
        const own = await make(held[0]!, id);
        const [inFolder, outFolder] = [await make(own, 'in'), await make(own, 'out')];
        const inputs: Record<string, string[]> = {};
        for (const [param, paths] of Object.entries(request.inputs)) {
          inputs[param] = [];
          for (const path of paths) {
            await inFolder.show({ from: path, name: basename(path) });
            inputs[param].push(join(dir, 'in', basename(path)));
          }
        }
        const { taskType, params, outputs, settings } = request;
        const outDir = join(dir, 'out');
        const made = await child.run({ taskType, params, inputs, outputs, settings, dir: outDir }, request.report);
        return await take(made, { path: outDir, folder: outFolder });
      } catch (error) {
        // A child that reached out of its folder is not reused.
        if (error instanceof EngineFailed && error.reason === 'boundary') await child.stop();
        throw error;
      } finally {
        for (const folder of held) await folder.close();
        await rm(dir, { recursive: true, force: true });
      }
    });

  const rowOf = (settings: Readonly<Record<string, unknown>>): [string, EngineRow] | null => {
    const name = String(settings['engine']);
    return options.available.has(name) ? [name, table[name]!] : null;
  };

  return {
    readsInputs: true,
    serves: (settings) => rowOf(settings) !== null,
    async submit(job) {
      const found = rowOf(job.route);
      if (found === null) {
        throw new ProviderError('unavailable', 'The engine of this model is not installed on this worker.', {
          retryable: true,
        });
      }
      const [name, row] = found;
      try {
        const request = { ...job, settings: { ...job.route, ...job.effectSettings } };
        const outputs = await (row.heavy ? places.heavy : places.light).run(
          () => run(name, request, (made, from) => takeOutputs(made, { from, to: job.workDir })),
          job.signal,
        );
        return { outputs };
      } catch (error) {
        job.signal.throwIfAborted();
        if (!(error instanceof EngineFailed)) throw error;
        if (error.reason === 'refused') throw new ProviderError(error.code, error.message);
        if (error.reason !== 'boundary' && (await isDiskFull(options.spoolDir))) throw spoolFull(error);
        options.onIncident({ engine: name, reason: error.reason });
        if (error.reason === 'memory') {
          throw new ProviderError('internal', 'The request needs more memory than its engine may use.', {
            cause: error,
          });
        }
        throw new ProviderError('internal', 'The engine failed.', {
          retryable: error.reason === 'crash',
          cause: error,
        });
      }
    },
    async runApart(engine, { settings, inputs, signal }) {
      if (!options.available.has(engine)) return null;
      // Not a customer's task: an engine that runs for internal use ignores it.
      const request = { taskType: 'image.effect', params: {}, inputs, outputs: 1, settings, signal } as const;
      return run(engine, { ...request, report: () => {} }, async ([made], from) => {
        if (made === undefined) throw new EngineFailed('broken', 'The engine made no output.');
        const taken = join(options.spoolDir, `apart-${randomUUID()}`);
        try {
          await takeFile(made.path, { from, to: taken });
          return await readFile(taken, 'utf8');
        } finally {
          await rm(taken, { force: true });
        }
      });
    },
    poll: () => Promise.reject(new ProviderError('internal', 'A local run has no handle to poll.')),
    async close() {
      await pool.close();
      confinement.close();
    },
  };
}

/** Where a request's outputs are: the path that the engine got, and the folder itself. */
interface OutputFolder {
  readonly path: string;
  readonly folder: EngineFolder;
}

/** A child is not trusted: each output must be a regular file in its assigned folder, whatever is at that path now. */
async function takeFile(path: string, { from, to }: { from: OutputFolder; to: string }): Promise<void> {
  const name = basename(path);
  if (path === join(from.path, name) && (await from.folder.take({ name, to }))) return;
  throw new EngineFailed('boundary', 'The engine named a file outside its folder.');
}

async function takeOutputs(
  outputs: readonly ProducedOutput[],
  { from, to }: { from: OutputFolder; to: string },
): Promise<ProducedOutput[]> {
  const take = async (path: string) => {
    const taken = join(to, `${randomUUID()}-${basename(path)}`);
    await takeFile(path, { from, to: taken });
    return taken;
  };
  const taken: ProducedOutput[] = [];
  for (const output of outputs) {
    const downloads = [];
    for (const each of output.downloads ?? []) downloads.push({ ...each, path: await take(each.path) });
    taken.push({
      path: await take(output.path),
      ...(output.downloads && { downloads }),
      ...(output.subtitles && {
        subtitles: { srtPath: await take(output.subtitles.srtPath), vttPath: await take(output.subtitles.vttPath) },
      }),
      ...(output.stem && { stem: output.stem }),
    });
  }
  return taken;
}
