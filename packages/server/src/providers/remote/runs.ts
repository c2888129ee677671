import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProducedOutput, ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from './backend.ts';

const CANCEL_MS = 10_000;
const LOG_TAIL_CHARS = 2_000;

/** Cancels one run by its id. */
export type CancelRun = (backend: Backend, run: { id: string; signal: AbortSignal }) => Promise<void>;

/** Starts `count` runs and returns their ids. If one cannot be started, those already started are canceled. */
export async function startRuns(
  backend: Backend,
  options: { count: number; start: (index: number) => Promise<string>; cancel: CancelRun },
): Promise<string[]> {
  const ids: string[] = [];
  try {
    for (let index = 0; index < options.count; index += 1) ids.push(await options.start(index));
  } catch (error) {
    await cancelRuns(backend, { ids, cancel: options.cancel });
    throw error;
  }
  return ids;
}

/** Cancels runs that are no longer needed. Errors are ignored: the backend finishes them at its own cost. */
export async function cancelRuns(
  backend: Backend,
  { ids, cancel }: { ids: readonly string[]; cancel: CancelRun },
): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  await Promise.allSettled(ids.map((id) => cancel(backend, { id, signal })));
}

/** Makes the outputs of `count` calls one after another, in one slot of the backend, and reports progress after each. */
export function makeAll(
  backend: Backend,
  options: { job: ProviderJob; count: number; make: (index: number) => Promise<readonly ProducedOutput[]> },
): Promise<readonly ProducedOutput[]> {
  const { job, count } = options;
  const makes = Array.from({ length: count }, (_, index) => async () => {
    const make = () => backend.places.run(() => options.make(index), job.signal);
    const outputs = await makeOnce(job, `call-${index}`, make);
    job.report((index + 1) / count);
    return outputs;
  });
  return gatherOutputs(makes);
}

/**
 * Records in the job's folder what was made, so that a retry after a later failure, such as in storing it, does not have it
 * made and paid for a second time.
 */
async function makeOnce(
  job: Pick<ProviderJob, 'workDir'>,
  name: string,
  make: () => Promise<readonly ProducedOutput[]>,
): Promise<readonly ProducedOutput[]> {
  const path = join(job.workDir, `${name}.made.json`);
  const recorded = await readFile(path, 'utf8').catch(() => null);
  if (recorded !== null) return JSON.parse(recorded);
  const made = await make();
  if (made.length > 0) await writeFile(path, JSON.stringify(made));
  return made;
}

/**
 * The outputs of several runs, one after another. When some runs are refused, the outputs of the others are kept, and the
 * customer pays for those only. An error that a retry may fix ends it.
 */
export async function gatherOutputs(
  makes: readonly (() => Promise<readonly ProducedOutput[]>)[],
): Promise<ProducedOutput[]> {
  const outputs: ProducedOutput[] = [];
  let refusal: ProviderError | null = null;
  for (const make of makes) {
    try {
      outputs.push(...(await make()));
    } catch (error) {
      if (!(error instanceof ProviderError) || error.retryable) throw error;
      refusal ??= error;
    }
  }
  if (outputs.length === 0) throw refusal ?? new ProviderError('internal', 'The backend returned no output.');
  return outputs;
}

/** Progress, 0 to 1, from the last percentage in a log, as progress bars write it; undefined without one. */
export function readLogProgress(logs: string): number | undefined {
  const found = [...logs.slice(-LOG_TAIL_CHARS).matchAll(/(?<![\d.])(\d{1,3})(?:\.\d+)?\s?%/g)].at(-1)?.[1];
  const percent = Number(found);
  return found === undefined || percent > 100 ? undefined : percent / 100;
}
