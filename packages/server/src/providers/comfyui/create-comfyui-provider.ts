import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Polled, type ProducedOutput, type Provider, ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend, Backends } from '../remote/backend.ts';
import type { FieldMap } from '../remote/fields/field-map.ts';
import { countCalls, mapFields } from '../remote/fields/map-fields.ts';
import { formatHandle, parseHandle } from '../remote/handle.ts';
import { createRouteReader } from '../remote/read-route.ts';
import { gatherOutputs } from '../remote/runs.ts';
import { createOutageTolerance } from '../remote/tolerate-outage.ts';
import { bindWorkflow, nodeOf } from './bind-workflow.ts';
import { cancelPrompt } from './cancel-prompt.ts';
import { explainFailedRun } from './explain-prompt.ts';
import { fetchOutputs } from './fetch-outputs.ts';
import { findPrompt, type PromptState } from './find-prompt.ts';
import { type Graph, loadWorkflow } from './load-workflow.ts';
import { type ComfyUiRoute, comfyUiRouteShape } from './route.ts';
import { clientIdOf, submitPrompt } from './submit-prompt.ts';
import { uploadInputs } from './upload-inputs.ts';
import { createWatches, type Watch } from './watches.ts';

const CANCEL_MS = 15_000;
/** Even with a socket that reports progress, the server is polled at this interval. */
const RECHECK_MS = 5_000;
const LIVE_POLL_MS = 250;
const BLIND_POLL_MS = 1_000;

/** ComfyUI: runs a stored graph with the request's values, followed by socket and by polling. */
export function createComfyUiProvider({
  backends,
  workflowDir,
  recheckMs = RECHECK_MS,
}: {
  backends: Backends;
  workflowDir: string;
  recheckMs?: number;
}): Provider {
  const routes = createRouteReader({ shape: comfyUiRouteShape, backends, providers: ['comfyui'] });
  const tolerate = createOutageTolerance();
  const watches = createWatches();

  function workflowOf(job: ProviderJob, route: ComfyUiRoute): Promise<Graph> {
    const { workflow } = job.effectSettings;
    return loadWorkflow({ dir: workflowDir, file: typeof workflow === 'string' ? workflow : route.workflow });
  }

  return {
    readsInputs: true,
    serves(settings) {
      return routes.serves(settings) && existsSync(join(workflowDir, String(settings.workflow)));
    },

    async submit(job) {
      const { route, backend } = routes.read(job.route);
      const graph = await workflowOf(job, route);
      const ids: string[] = [];
      for (let index = 0; index < countCalls(fieldMapOf(route), job); index += 1)
        ids.push(
          await submitPrompt(backend, { job, index, bind: () => bindGraph(backend, { job, route, graph, index }) }),
        );
      return { handle: formatHandle({ provider: 'comfyui', backend: backend.name, ids }) };
    },

    async poll(text, job) {
      const handle = parseHandle(text, 'comfyui');
      const backend = routes.backend(handle.backend);
      const { route } = routes.read(job.route);
      const nodes = Object.keys(await workflowOf(job, route)).length;
      const clientId = clientIdOf(job.generationId);
      const watch = watches.follow(text, { backend, clientId, nodes, signal: job.signal });
      try {
        const { awayMs } = backend.timeouts;
        const polled = await tolerate({ handle: text, awayMs }, () =>
          pollPrompts(backend, { job, route, ids: handle.ids, watch, recheckMs }),
        );
        if (polled.state === 'done') watches.drop(text);
        return polled;
      } catch (error) {
        watches.drop(text);
        throw error;
      }
    },

    async cancel(text) {
      const handle = parseHandle(text, 'comfyui');
      watches.drop(text);
      const signal = AbortSignal.timeout(CANCEL_MS);
      for (const id of handle.ids) await cancelPrompt(routes.backend(handle.backend), { id, signal });
    },
  };
}

type Ended = Extract<PromptState, { entry: unknown }>;

/** The state of the runs, from the socket where it reports it and by polling where it does not. */
async function pollPrompts(
  backend: Backend,
  {
    job,
    route,
    ids,
    watch,
    recheckMs,
  }: { job: ProviderJob; route: ComfyUiRoute; ids: readonly string[]; watch: Watch; recheckMs: number },
): Promise<Polled> {
  const ends: Ended[] = [];
  let progress = 0;
  let isRunning = false;
  const isTold = watch.progress.isLive() && Date.now() - watch.checkedAtMs < recheckMs;
  if (!isTold) watch.checkedAtMs = Date.now();
  for (const id of ids) {
    const isAtWork = isTold && !watch.progress.hasEnded(id);
    const found = isAtWork ? null : await findPrompt(backend, { id, signal: job.signal });
    if (!isAtWork && found === null)
      throw new ProviderError('unavailable', 'The run no longer exists on the backend.', { retryable: true });
    const ended = found !== null && 'entry' in found;
    if (ended) ends.push(found);
    if (found?.state === 'running') isRunning = true;
    progress += ended ? 1 : watch.progress.progressOf(id);
  }
  if (ends.length === ids.length) return { state: 'done', outputs: await collect(backend, { job, route, ends }) };
  if (isRunning) reopenSilentSocket(watch, recheckMs);
  const pollAfterMs = watch.progress.isLive() ? LIVE_POLL_MS : BLIND_POLL_MS;
  return { state: 'running', progress: progress / ids.length, pollAfterMs };
}

/**
 * ComfyUI drops the newer of two sockets with one client id when the older closes, as it does after another worker took
 * over. A socket that reported nothing about a running prompt between two polls is reopened; so is one that dropped.
 */
function reopenSilentSocket(watch: Watch, recheckMs: number): void {
  const { progress } = watch;
  if (Date.now() - watch.askedSocketAtMs < recheckMs) return;
  watch.askedSocketAtMs = Date.now();
  if (!progress.isLive() || watch.heardAtCheck === progress.heard()) progress.reopen();
  watch.heardAtCheck = progress.heard();
}

/** A graph's bindings are its map. */
function fieldMapOf({ bind, ...rest }: ComfyUiRoute): FieldMap {
  return bind === undefined ? rest : { ...rest, map: bind };
}

async function bindGraph(
  backend: Backend,
  { job, route, graph, index }: { job: ProviderJob; route: ComfyUiRoute; graph: Graph; index: number },
): Promise<{ graph: Graph; boundNodes: ReadonlySet<string> }> {
  const fields = mapFields(fieldMapOf(route), { job, index });
  const names = await uploadInputs(backend, { job, fields });
  return {
    graph: bindWorkflow(graph, { fields, nameOf: (path) => names.get(path) as string }),
    boundNodes: new Set(fields.map(({ field }) => nodeOf(field))),
  };
}

function collect(
  backend: Backend,
  { job, route, ends }: { job: ProviderJob; route: ComfyUiRoute; ends: readonly Ended[] },
): Promise<ProducedOutput[]> {
  const takes = ends.map(({ state, entry }, index) => async () => {
    if (state === 'failed') throw explainFailedRun(entry);
    return fetchOutputs(backend, { job, entry, nodes: route.outputs, index });
  });
  return gatherOutputs(takes);
}
