import type { Polled, ProducedOutput, Provider, ProviderJob } from '../provider.ts';
import type { Backend, Backends } from '../remote/backend.ts';
import { encodeInput } from '../remote/fields/encode-input.ts';
import { countCalls, mapFields } from '../remote/fields/map-fields.ts';
import { formatHandle, parseHandle } from '../remote/handle.ts';
import { createRouteReader } from '../remote/read-route.ts';
import { cancelRuns, gatherOutputs, makeAll, readLogProgress, startRuns } from '../remote/runs.ts';
import { createOutageTolerance } from '../remote/tolerate-outage.ts';
import { endPrediction, isRunning, type Prediction } from './prediction.ts';
import { createPrediction, findPrediction } from './replicate.ts';
import { type CogRoute, cogRouteShape } from './route.ts';
import { cancelPrediction, runCog } from './run-cog.ts';

const POLL_AFTER_MS = 1_500;

/** Packaged models: a self-hosted Cog server in one open call, or Replicate by id. */
export function createCogProvider({ backends }: { backends: Backends }): Provider {
  const routes = createRouteReader({ shape: cogRouteShape, backends, providers: ['cog', 'replicate'] });
  const tolerate = createOutageTolerance();

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
      const ids = await startRuns(backend, {
        count: countCalls(route, job),
        async start(index) {
          const input = await encodeInput(backend, { job, fields: mapFields(route, { job, index }) });
          return createPrediction(backend, { route, input, job });
        },
        cancel: cancelPrediction,
      });
      return { handle: formatHandle({ provider: 'replicate', backend: backend.name, ids }) };
    },

    async poll(text, job) {
      const handle = parseHandle(text, 'replicate');
      const backend = routes.backend(handle.backend);
      const { route } = routes.read(job.route);
      const { awayMs } = backend.timeouts;
      return tolerate({ handle: text, awayMs }, () => pollReplicate(backend, { job, route, ids: handle.ids }));
    },

    async cancel(text) {
      const handle = parseHandle(text, 'replicate');
      await cancelRuns(routes.backend(handle.backend), { ids: handle.ids, cancel: cancelPrediction });
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

function runAll(
  backend: Backend,
  { job, route }: { job: ProviderJob; route: CogRoute },
): Promise<readonly ProducedOutput[]> {
  return makeAll(backend, {
    job,
    count: countCalls(route, job),
    async make(index) {
      const input = await encodeInput(backend, { job, fields: mapFields(route, { job, index }) });
      const prediction = await runCog(backend, { id: `${job.generationId}-${index}`, input, job });
      return endPrediction(backend, { job, prediction, path: route.output, index });
    },
  });
}
