import { join } from 'node:path';
import { type Polled, type ProducedOutput, ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { callBackend } from '../remote/call-backend.ts';
import { callJson } from '../remote/call-json.ts';
import { asRecord, explainError, type Failure } from '../remote/explain-answer.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { isRemoteId } from '../remote/handle.ts';
import { saveOutput } from '../remote/outputs/save-output.ts';
import { encodeForm, encodeJson } from './encode-fields.ts';

const POLL_AFTER_MS = 2_000;
const FULL_PROGRESS = 100;

type VideoState =
  | { readonly state: 'running'; readonly progress: number }
  | { readonly state: 'completed'; readonly url: string | null }
  | { readonly state: 'failed'; readonly failure: Failure };

/** Starts a video and returns its id. SGLang takes JSON, the others a form; a picture always needs a form. */
export async function createVideo(
  backend: Backend,
  { job, fields }: { job: ProviderJob; fields: readonly Field[] },
): Promise<string> {
  const asJson = backend.dialect === 'sglang' && fields.every((each) => 'value' in each);
  const { value } = await callJson(backend, {
    method: 'POST',
    path: '/videos',
    ...(asJson ? { json: encodeJson(fields) } : { form: await encodeForm(fields, job) }),
    // An upload may be sent with it.
    timeoutMs: backend.timeouts.downloadMs,
    signal: job.signal,
  });
  const { id } = asRecord(value);
  if (!isRemoteId(id))
    throw new ProviderError('unavailable', 'The backend did not return a video id.', { retryable: true });
  return id;
}

/** The state of the videos; once all have ended, those that succeeded are fetched. */
export async function pollVideos(
  backend: Backend,
  { job, ids }: { job: ProviderJob; ids: readonly string[] },
): Promise<Polled> {
  const states: VideoState[] = [];
  for (const id of ids) states.push(await readVideo(backend, { id, signal: job.signal }));
  if (states.some(({ state }) => state === 'running')) {
    const parts = states.map((each) => (each.state === 'running' ? each.progress : 1));
    const progress = parts.reduce((sum, part) => sum + part, 0) / parts.length;
    return { state: 'running', progress, pollAfterMs: POLL_AFTER_MS };
  }
  const outputs: ProducedOutput[] = [];
  for (const [index, each] of states.entries()) {
    if (each.state !== 'completed') continue;
    const path = join(job.workDir, `video-${index}`);
    const url = each.url ?? `${backend.url}/videos/${ids[index]}/content`;
    await saveOutput(backend, { url, path, signal: job.signal });
    outputs.push({ path });
  }
  const failed = states.find((each) => each.state === 'failed');
  if (outputs.length === 0 && failed?.state === 'failed')
    throw new ProviderError(failed.failure.code, backend.conceal(failed.failure.message), failed.failure);
  return { state: 'done', outputs };
}

async function readVideo(backend: Backend, { id, signal }: { id: string; signal: AbortSignal }): Promise<VideoState> {
  const answer = await callJson(backend, { method: 'GET', path: `/videos/${id}`, signal, accept: [404, 405] });
  const video = answer.status < 300 ? asRecord(answer.value) : await findInList(backend, { id, signal });
  if (video === undefined)
    throw new ProviderError('unavailable', 'The video no longer exists on the backend.', { retryable: true });
  const { status, progress, error, url } = video;
  if (typeof status !== 'string')
    throw new ProviderError('unavailable', 'The response of the backend has no status.', { retryable: true });
  if (status === 'completed') {
    // SGLang with cloud storage keeps no file itself and returns the link instead.
    const stored = backend.dialect === 'sglang' && typeof url === 'string' && url !== '' ? url : null;
    return { state: 'completed', url: stored };
  }
  if (status === 'failed' || status === 'cancelled' || status === 'canceled')
    return { state: 'failed', failure: explainError(error) };
  return { state: 'running', progress: typeof progress === 'number' ? progress / FULL_PROGRESS : 0 };
}

/** Some servers report the state of a video only in the list of all videos. */
async function findInList(
  backend: Backend,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<Record<string, unknown> | undefined> {
  const { status, value } = await callJson(backend, { method: 'GET', path: '/videos', signal, accept: [404, 405] });
  const { data } = asRecord(value);
  if (status >= 300 || !Array.isArray(data)) return undefined;
  return data.map(asRecord).find((each) => each.id === id);
}

export async function deleteVideo(
  backend: Backend,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<void> {
  await callBackend(
    backend,
    {
      method: 'DELETE',
      path: `/videos/${id}`,
      timeoutMs: backend.timeouts.callMs,
      signal,
      accept: [404, 405],
      pastCircuit: true,
    },
    async ({ body }) => {
      body.destroy();
    },
  );
}
