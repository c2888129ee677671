import type { ProducedOutput, Provider, ProviderJob } from '../provider.ts';
import type { Backend, Backends } from '../remote/backend.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { countCalls, mapFields } from '../remote/fields/map-fields.ts';
import { formatHandle, parseHandle } from '../remote/handle.ts';
import { createRouteReader } from '../remote/read-route.ts';
import { cancelRuns, makeAll, startRuns } from '../remote/runs.ts';
import { createOutageTolerance } from '../remote/tolerate-outage.ts';
import { dressFields } from './dress-fields.ts';
import { makePictures } from './make-pictures.ts';
import { makeSpeech } from './make-speech.ts';
import { type OpenAiRoute, type Operation, openAiRouteShape, operationOf, sendsMask } from './route.ts';
import { transcribe } from './transcribe.ts';
import { createVideo, deleteVideo, pollVideos } from './videos.ts';

/** Servers with OpenAI's routes: pictures, edits, speech and transcripts in one open call, videos by id. */
export function createOpenAiProvider({ backends }: { backends: Backends }): Provider {
  const routes = createRouteReader({ shape: openAiRouteShape, backends, providers: ['openai'] });
  const tolerate = createOutageTolerance();

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
      if (operation !== 'videos') return { outputs: await makeNow(backend, { job, route, operation }) };
      const ids = await startRuns(backend, {
        count: countCalls(route, job),
        start: (index) => createVideo(backend, { job, fields: fieldsOf(backend, { job, route, operation, index }) }),
        cancel: deleteVideo,
      });
      return { handle: formatHandle({ provider: 'openai', backend: backend.name, ids }) };
    },
    async poll(text, job) {
      const handle = parseHandle(text, 'openai');
      const backend = routes.backend(handle.backend);
      const { awayMs } = backend.timeouts;
      return tolerate({ handle: text, awayMs }, () => pollVideos(backend, { job, ids: handle.ids }));
    },
    async cancel(text) {
      const handle = parseHandle(text, 'openai');
      await cancelRuns(routes.backend(handle.backend), { ids: handle.ids, cancel: deleteVideo });
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
function makeNow(backend: Backend, making: Making): Promise<readonly ProducedOutput[]> {
  const { job, route, operation } = making;
  return makeAll(backend, {
    job,
    count: countCalls(route, job),
    make(index) {
      const fields = fieldsOf(backend, { ...making, index });
      if (operation === 'speech') return makeSpeech(backend, { job, fields, index });
      if (operation === 'transcriptions') return transcribe(backend, { job, fields });
      return makePictures(backend, { job, fields, operation: operation === 'images' ? 'images' : 'edits', index });
    },
  });
}
