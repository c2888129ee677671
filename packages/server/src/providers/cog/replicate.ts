import { ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { callJson } from '../remote/call-json.ts';
import { isRemoteId } from '../remote/handle.ts';
import { type Prediction, readPrediction, webhookFields } from './prediction.ts';
import type { CogRoute } from './route.ts';

const DEFAULT_WAIT_SECONDS = 5;

/** Starts a prediction on Replicate and returns its id. */
export async function createPrediction(
  backend: Backend,
  { route, input, job }: { route: CogRoute; input: Record<string, unknown>; job: ProviderJob },
): Promise<string> {
  const { version, model, waitSeconds = DEFAULT_WAIT_SECONDS } = route;
  if (version === undefined && model === undefined)
    throw new ProviderError('unavailable', 'The route of this model has neither a version nor a model.');
  const { value } = await callJson(backend, {
    method: 'POST',
    path: version === undefined ? `/models/${model}/predictions` : '/predictions',
    json: { ...(version === undefined ? {} : { version }), input, ...webhookFields(backend, job) },
    headers: waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {},
    timeoutMs: backend.timeouts.callMs + waitSeconds * 1000,
    signal: job.signal,
  });
  const { id } = readPrediction(value);
  if (!isRemoteId(id))
    throw new ProviderError('unavailable', 'The backend did not return a run id.', { retryable: true });
  return id;
}

export async function findPrediction(
  backend: Backend,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<Prediction> {
  const { status, value } = await callJson(backend, {
    method: 'GET',
    path: `/predictions/${id}`,
    signal,
    accept: [404],
  });
  if (status === 404)
    throw new ProviderError('unavailable', 'The run no longer exists on the backend.', { retryable: true });
  return readPrediction(value);
}
