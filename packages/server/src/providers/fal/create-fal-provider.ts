import type { Polled, ProducedOutput, Provider, ProviderJob } from '../provider.ts';
import type { Backend, Backends } from '../remote/backend.ts';
import { encodeInput } from '../remote/fields/encode-input.ts';
import { countCalls, mapFields } from '../remote/fields/map-fields.ts';
import { formatHandle, parseHandle } from '../remote/handle.ts';
import { takeOutputs } from '../remote/outputs/take-outputs.ts';
import { createRouteReader } from '../remote/read-route.ts';
import { cancelRuns, gatherOutputs, readLogProgress, startRuns } from '../remote/runs.ts';
import { createOutageTolerance } from '../remote/tolerate-outage.ts';
import { cancelRun, enqueueRun, readResult, readStatus } from './fal-queue.ts';
import { type FalRoute, falRouteShape } from './route.ts';

const POLL_AFTER_MS = 1_500;

/** fal's queue: started, polled and fetched by id. */
export function createFalProvider({ backends }: { backends: Backends }): Provider {
  const routes = createRouteReader({ shape: falRouteShape, backends, providers: ['fal'] });
  const tolerate = createOutageTolerance();

  return {
    readsInputs: true,
    serves: (settings) => routes.serves(settings),

    async submit(job) {
      const { route, backend } = routes.read(job.route);
      const ids = await startRuns(backend, {
        count: countCalls(route, job),
        async start(index) {
          const input = await encodeInput(backend, { job, fields: mapFields(route, { job, index }) });
          return enqueueRun(backend, { model: route.model, input, job });
        },
        cancel: cancelRun,
      });
      return { handle: formatHandle({ provider: 'fal', backend: backend.name, ids }) };
    },

    async poll(text, job) {
      const { backend: name, ids } = parseHandle(text, 'fal');
      const backend = routes.backend(name);
      const { route } = routes.read(job.route);
      return tolerate({ handle: text, awayMs: backend.timeouts.awayMs }, () => pollRuns(backend, { job, route, ids }));
    },

    async cancel(text) {
      const { backend, ids } = parseHandle(text, 'fal');
      await cancelRuns(routes.backend(backend), { ids, cancel: cancelRun });
    },
  };
}

async function pollRuns(
  backend: Backend,
  { job, route, ids }: { job: ProviderJob; route: FalRoute; ids: readonly string[] },
): Promise<Polled> {
  const { signal } = job;
  let [running, progress] = [0, 0];
  for (const id of ids) {
    const { state, logs } = await readStatus(backend, { id, signal });
    running += state === 'running' ? 1 : 0;
    progress += state === 'running' ? (readLogProgress(logs) ?? 0) : 1;
  }
  if (running > 0) return { state: 'running', progress: progress / ids.length, pollAfterMs: POLL_AFTER_MS };
  const takes = ids.map((id, index) => async (): Promise<readonly ProducedOutput[]> => {
    const output = await readResult(backend, { id, signal });
    return takeOutputs(backend, { job, output, path: route.output, index });
  });
  return { state: 'done', outputs: await gatherOutputs(takes) };
}
