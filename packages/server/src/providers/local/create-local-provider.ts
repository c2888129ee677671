import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SandboxMode } from '../../media/sandbox/sandbox.ts';
import { createSandbox } from '../../media/sandbox/sandbox.ts';
import { createGate, type Gate } from '../../platform/gate.ts';
import { linkOrCopy } from '../../platform/link-or-copy.ts';
import { type ProducedOutput, type Provider, ProviderError } from '../provider.ts';
import { createEnginePool } from './create-engine-pool.ts';
import type { EngineRequest } from './engine.ts';
import { type EngineRow, engines } from './engines.ts';
import { EngineFailed } from './start-engine-child.ts';

export interface LocalProviderOptions {
  readonly sandbox: SandboxMode;
  readonly spoolDir: string;
  readonly weightsDir: string;
  /** Engines whose weights, programs and packages this machine has. */
  readonly available: ReadonlySet<string>;
  readonly cores: number;
  readonly idleMs: number;
  /** The engines table; tests bring their own. */
  readonly table?: Readonly<Record<string, EngineRow>>;
  /** Told when an engine fails in a way that is its own fault. */
  onIncident(incident: { engine: string; reason: string; detail: string }): void;
}

export interface LocalProvider extends Provider {
  /**
   * Runs an engine for ourselves, such as a classifier, and answers the text of its one output. Null when it is not
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

/** Runs engines on the processors of this machine, each in a confined child process of its own. */
export function createLocalProvider(options: LocalProviderOptions): LocalProvider {
  const table: Readonly<Record<string, EngineRow>> = options.table ?? engines;
  const sandbox = createSandbox({ mode: options.sandbox, spoolDir: options.spoolDir });
  const heavyRuns = Math.max(1, Math.floor(options.cores / CORES_PER_HEAVY_RUN));
  const gates = { heavy: createGate(heavyRuns), light: createGate(options.cores) };
  const pool = createEnginePool({
    sandbox,
    spoolDir: options.spoolDir,
    weightsDir: options.weightsDir,
    threads: Math.min(CORES_PER_HEAVY_RUN, options.cores),
    idleMs: options.idleMs,
    maxIdle: MAX_IDLE_CHILDREN,
  });

  /** One request in a folder of its own; `take` gets what the engine names before the folder goes. */
  const run = <T>(
    name: string,
    request: Omit<EngineRequest, 'dir'> & { signal: AbortSignal; report: (progress: number) => void },
    take: (outputs: readonly ProducedOutput[], dir: string) => Promise<T>,
  ): Promise<T> =>
    pool.use({ name, row: table[name]!, signal: request.signal }, async (child) => {
      const dir = join(child.dir, randomUUID());
      const [inDir, outDir] = [join(dir, 'in'), join(dir, 'out')];
      await mkdir(inDir, { recursive: true });
      try {
        const inputs: Record<string, string[]> = {};
        for (const [param, paths] of Object.entries(request.inputs)) {
          inputs[param] = [];
          for (const path of paths) {
            const shown = join(inDir, basename(path));
            await linkOrCopy({ from: path, to: shown });
            inputs[param].push(shown);
          }
        }
        const { taskType, params, outputs, settings } = request;
        const made = await child.run({ taskType, params, inputs, outputs, settings, dir: outDir }, request.report);
        return await take(made, outDir);
      } finally {
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
        throw new ProviderError('unavailable', 'The engine of this model is not installed here.', { retryable: true });
      }
      const [name, row] = found;
      try {
        const request = { ...job, settings: { ...job.route, ...job.effectSettings } };
        const outputs = await enter(row.heavy ? gates.heavy : gates.light, job.signal, () =>
          run(name, request, (made, from) => takeOutputs(made, { from, to: job.workDir })),
        );
        return { outputs };
      } catch (error) {
        job.signal.throwIfAborted();
        if (!(error instanceof EngineFailed)) throw error;
        if (error.reason === 'refused') throw new ProviderError(error.code, error.message);
        options.onIncident({ engine: name, reason: error.reason, detail: error.message });
        if (error.reason === 'memory') {
          throw new ProviderError('internal', 'The request needs more memory than its engine is given.');
        }
        throw new ProviderError('internal', 'The engine failed in the middle of the work.', {
          retryable: error.reason === 'crash',
        });
      }
    },
    async runApart(engine, { settings, inputs, signal }) {
      if (!options.available.has(engine)) return null;
      // No task of a customer's: an engine that is run apart does not look at it.
      const request = { taskType: 'image.effect', params: {}, inputs, outputs: 1, settings, signal } as const;
      return run(engine, { ...request, report: () => {} }, async ([made], from) => {
        if (made === undefined) throw new EngineFailed('broken', 'The engine made nothing.');
        return readFile(await ownFile(made.path, from), 'utf8');
      });
    },
    poll: () => Promise.reject(new ProviderError('internal', 'A local run ends with its submit.')),
    async close() {
      await pool.close();
      sandbox.close();
    },
  };
}

/** Waits for a place, but not beyond the signal. */
async function enter<T>(gate: Gate, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    gate
      .run(async () => (signal.aborted ? undefined : work().then(resolve)))
      .catch(reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A child is not trusted: what it names must be a plain file in its own folder. */
async function ownFile(path: string, dir: string): Promise<string> {
  if (path === join(dir, basename(path)) && (await lstat(path)).isFile()) return path;
  throw new EngineFailed('broken', 'The engine names a file that is not its own.');
}

async function takeOutputs(
  outputs: readonly ProducedOutput[],
  { from, to }: { from: string; to: string },
): Promise<ProducedOutput[]> {
  const take = async (path: string) => {
    const taken = join(to, `${randomUUID()}-${basename(path)}`);
    await rename(await ownFile(path, from), taken);
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
