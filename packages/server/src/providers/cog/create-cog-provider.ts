import type { Polled, ProducedOutput, Provider, ProviderJob } from '../provider.ts';
import type { Backend, Backends } from '../remote/backend.ts';
import { encodeInput } from '../remote/encode-input.ts';
import { gatherOutputs } from '../remote/runs.ts';
import { formatHandle, parseHandle } from '../remote/handle.ts';
import { makeOnce } from '../remote/make-once.ts';
import { countCalls, mapFields } from '../remote/map-fields.ts';
import { createPatience } from '../remote/patience.ts';
import { readLogProgress } from '../remote/read-log-progress.ts';
import { createRouteReader } from '../remote/read-route.ts';
import { endPrediction, isRunning, type Prediction } from './prediction.ts';
import { createPrediction, findPrediction } from './replicate.ts';
import { type CogRoute, cogRouteShape } from './route.ts';
import { cancelPrediction, runCog } from './run-cog.ts';

const POLL_AFTER_MS = 1_500;
const CANCEL_MS = 10_000;

/** Packaged models: a Cog server of one's own in a held call, or Replicate by id. */
export function createCogProvider({ backends }: { backends: Backends }): Provider {
  const routes = createRouteReader({ shape: cogRouteShape, backends, providers: ['cog', 'replicate'] });
  const bear = createPatience();

  return {
    readsInputs: true,
    serves(settings) {
      if (!routes.serves(settings)) return false;
      const { route, backend } = routes.read(settings);
      return backend.provider === 'cog' || route.version !== undefined || route.model !== undefined;
    },

    async submit(job) {
      const { route, backend } = routes.read(job.route);
      if (backend.provider === 'cog') return { outputs: await runAll(backend, { job, route }) };
      const ids: string[] = [];
      try {
        for (let index = 0; index < countCalls(route, job); index += 1) {
          const input = await encodeInput(backend, { job, fields: mapFields(route, { job, index }) });
          ids.push(await createPrediction(backend, { route, input, job }));
        }
      } catch (error) {
        await cancelAll(backend, ids);
        throw error;
      }
      return { handle: formatHandle({ provider: 'replicate', backend: backend.name, ids }) };
    },

    async poll(text, job) {
      const handle = parseHandle(text, 'replicate');
      const backend = routes.backend(handle.backend);
      const { route } = routes.read(job.route);
      const { awayMs } = backend.timeouts;
      return bear({ handle: text, awayMs }, () => pollReplicate(backend, { job, route, ids: handle.ids }));
    },

    async cancel(text) {
      const handle = parseHandle(text, 'replicate');
      await cancelAll(routes.backend(handle.backend), handle.ids);
    },
  };
}

async function pollReplicate(
  backend: Backend,
  { job, route, ids }: { job: ProviderJob; route: CogRoute; ids: readonly string[] },
): Promise<Polled> {
  const predictions: Prediction[] = [];
  for (const id of ids) predictions.push(await findPrediction(backend, { id, signal: job.signal }));
  if (predictions.some(isRunning)) {
    const parts = predictions.map((each) => (isRunning(each) ? readLogProgress(each.logs) : 1));
    const known = parts.some((part) => part !== undefined);
    const progress = parts.reduce<number>((sum, part) => sum + (part ?? 0), 0) / parts.length;
    return { state: 'running', pollAfterMs: POLL_AFTER_MS, ...(known ? { progress } : {}) };
  }
  const takes = predictions.map(
    (prediction, index) => () => endPrediction(backend, { job, prediction, path: route.output, index }),
  );
  return { state: 'done', outputs: await gatherOutputs(takes) };
}

async function runAll(
  backend: Backend,
  { job, route }: { job: ProviderJob; route: CogRoute },
): Promise<readonly ProducedOutput[]> {
  const calls = countCalls(route, job);
  const runs = Array.from({ length: calls }, (_, index) => async () => {
    const outputs = await makeOnce(job, `call-${index}`, async () => {
      const input = await encodeInput(backend, { job, fields: mapFields(route, { job, index }) });
      const leave = await backend.places.acquire(job.signal);
      try {
        const prediction = await runCog(backend, { id: `${job.generationId}-${index}`, input, job });
        return await endPrediction(backend, { job, prediction, path: route.output, index });
      } finally {
        leave();
      }
    });
    job.report((index + 1) / calls);
    return outputs;
  });
  return gatherOutputs(runs);
}

async function cancelAll(backend: Backend, ids: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  await Promise.allSettled(ids.map((id) => cancelPrediction(backend, { id, signal })));
}
