import type { ProducedOutput, Provider, ProviderJob } from '../provider.ts';
import type { Backend, Backends } from '../remote/backend.ts';
import type { Field } from '../remote/field-map.ts';
import { gatherOutputs } from '../remote/runs.ts';
import { formatHandle, parseHandle } from '../remote/handle.ts';
import { makeOnce } from '../remote/make-once.ts';
import { countCalls, mapFields } from '../remote/map-fields.ts';
import { createPatience } from '../remote/patience.ts';
import { createRouteReader } from '../remote/read-route.ts';
import { dressFields } from './dress-fields.ts';
import { makePictures } from './make-pictures.ts';
import { makeSpeech } from './make-speech.ts';
import { type OpenAiRoute, type Operation, openAiRouteShape, operationOf, sendsMask } from './route.ts';
import { transcribe } from './transcribe.ts';
import { createVideo, deleteVideo, pollVideos } from './videos.ts';

const CLEANUP_MS = 10_000;

/** Servers with OpenAI's routes: pictures, edits, speech and transcripts in one held call, videos by id. */
export function createOpenAiProvider({ backends }: { backends: Backends }): Provider {
  const routes = createRouteReader({ shape: openAiRouteShape, backends, providers: ['openai'] });
  const bear = createPatience();

  return {
    readsInputs: true,
    serves(settings) {
      if (!routes.serves(settings)) return false;
      const { route, backend } = routes.read(settings);
      return backend.dialect !== 'sglang' || !sendsMask(route);
    },
    async submit(job) {
      const { route, backend } = routes.read(job.route);
      const operation = operationOf(route, job.taskType);
      if (operation !== 'videos') return { outputs: await makeAll(backend, { job, route, operation }) };
      const ids: string[] = [];
      try {
        for (let index = 0; index < countCalls(route, job); index += 1)
          ids.push(await createVideo(backend, { job, fields: fieldsOf(backend, { job, route, operation, index }) }));
      } catch (error) {
        // Nobody will ask for those that were begun.
        await deleteAll(backend, ids);
        throw error;
      }
      return { handle: formatHandle({ provider: 'openai', backend: backend.name, ids }) };
    },
    async poll(text, job) {
      const handle = parseHandle(text, 'openai');
      const backend = routes.backend(handle.backend);
      const { awayMs } = backend.timeouts;
      return bear({ handle: text, awayMs }, () => pollVideos(backend, { job, ids: handle.ids }));
    },
    async cancel(text) {
      const handle = parseHandle(text, 'openai');
      await deleteAll(routes.backend(handle.backend), handle.ids);
    },
  };
}

interface Making {
  readonly job: ProviderJob;
  readonly route: OpenAiRoute;
  readonly operation: Operation;
}

function fieldsOf(backend: Backend, { job, route, operation, index }: Making & { index: number }): Field[] {
  return dressFields(mapFields(route, { job, index }), { dialect: backend.dialect, operation, model: route.model });
}

/** One call, or one for each output. */
function makeAll(backend: Backend, making: Making): Promise<readonly ProducedOutput[]> {
  const { job, route } = making;
  const calls = countCalls(route, job);
  const makes = Array.from({ length: calls }, (_, index) => async () => {
    const outputs = await makeOnce(job, `call-${index}`, () => makeOne(backend, { ...making, index }));
    job.report((index + 1) / calls);
    return outputs;
  });
  return gatherOutputs(makes);
}

async function makeOne(backend: Backend, making: Making & { index: number }): Promise<ProducedOutput[]> {
  const { job, operation, index } = making;
  const fields = fieldsOf(backend, making);
  const leave = await backend.places.acquire(job.signal);
  try {
    if (operation === 'speech') return await makeSpeech(backend, { job, fields, index });
    if (operation === 'transcriptions') return await transcribe(backend, { job, fields });
    return await makePictures(backend, { job, fields, operation: operation === 'images' ? 'images' : 'edits', index });
  } finally {
    leave();
  }
}

async function deleteAll(backend: Backend, ids: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(CLEANUP_MS);
  await Promise.allSettled(ids.map((id) => deleteVideo(backend, { id, signal })));
}
