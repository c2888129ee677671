import { ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { BackendUnavailable } from '../remote/backend-errors.ts';
import { callBackend } from '../remote/call-backend.ts';
import { callJson, readJson } from '../remote/call-json.ts';
import { asRecord, explainAnswer } from '../remote/explain-answer.ts';
import { isRemoteId } from '../remote/handle.ts';

/** The result call returns the error of a run that is COMPLETED. */
const RESULT_STATUSES = [400, 404, 410, 413, 415, 422, 500, 502, 503, 504];

export interface FalStatus {
  readonly state: 'running' | 'completed';
  readonly logs: string;
}

/** Prefixes that may precede the owner in an app id. */
const NAMESPACES = new Set(['workflows', 'comfy']);

/**
 * Enqueues a run and returns its id, `owner:app:request` or `namespace:owner:app:request`. Status and result are under
 * `owner/app`, whatever path inside the app was called, so the address comes from the response and not from the route.
 */
export async function enqueueRun(
  backend: Backend,
  { model, input, job }: { model: string; input: Record<string, unknown>; job: ProviderJob },
): Promise<string> {
  const { signal, callback } = job;
  const query = backend.callbacks && callback ? `?fal_webhook=${encodeURIComponent(callback.url)}` : '';
  const { value } = await callJson(backend, { method: 'POST', path: `/${model}${query}`, json: input, signal });
  const { request_id: request, response_url: place } = asRecord(value);
  const id = [...(appOf(backend, place) ?? appOfModel(model)), String(request)].join(':');
  if (typeof request !== 'string' || request.includes(':') || !isRemoteId(id))
    throw new ProviderError('unavailable', 'The backend did not return a run id.', { retryable: true });
  return id;
}

function appOf(backend: Backend, place: unknown): string[] | null {
  if (typeof place !== 'string' || !URL.canParse(place)) return null;
  const url = new URL(place);
  const [, namespace, owner, app] =
    /^\/(?:(workflows|comfy)\/)?([\w-]+)\/([\w.-]+)\/requests\//.exec(url.pathname) ?? [];
  if (url.origin !== new URL(backend.url).origin || owner === undefined || app === undefined) return null;
  return namespace === undefined ? [owner, app] : [namespace, owner, app];
}

function appOfModel(model: string): string[] {
  const parts = model.split('/');
  return parts.slice(0, NAMESPACES.has(parts[0] ?? '') ? 3 : 2);
}

export async function readStatus(backend: Backend, asked: { id: string; signal: AbortSignal }): Promise<FalStatus> {
  const { value, status } = await callJson(backend, {
    method: 'GET',
    path: `${pathOf(asked.id)}/status?logs=1`,
    signal: asked.signal,
    accept: [404],
  });
  if (status === 404) throw notFound();
  const { status: state, logs } = asRecord(value);
  if (typeof state !== 'string')
    throw new ProviderError('unavailable', 'The response of the backend has no status.', { retryable: true });
  const lines = Array.isArray(logs) ? logs.map((each) => String(asRecord(each).message ?? '')) : [];
  return { state: state === 'COMPLETED' ? 'completed' : 'running', logs: lines.join('\n') };
}

/** The result of a finished run, or its error. */
export function readResult(backend: Backend, { id, signal }: { id: string; signal: AbortSignal }): Promise<unknown> {
  return callBackend(
    backend,
    {
      method: 'GET',
      path: pathOf(id),
      timeoutMs: backend.timeouts.callMs,
      signal,
      accept: RESULT_STATUSES,
    },
    async (answer) => {
      const value = await readJson(answer, { maxBytes: backend.maxAnswerBytes });
      if (answer.status < 300) return value;
      if (answer.status === 404) throw notFound();
      const { code, message, retryable } = explainAnswer({ status: answer.status, text: JSON.stringify(value) });
      const hint = answer.headers['x-fal-retryable'];
      // A failed run stays failed: requesting its result again returns the same.
      if (hint === undefined && answer.status > 500) throw new BackendUnavailable(code, backend.conceal(message));
      const again = hint === undefined ? retryable : hint === 'true';
      throw new ProviderError(code, backend.conceal(message), { retryable: again });
    },
  );
}

export function cancelRun(backend: Backend, { id, signal }: { id: string; signal: AbortSignal }): Promise<void> {
  return callBackend(
    backend,
    {
      method: 'PUT',
      path: `${pathOf(id)}/cancel`,
      timeoutMs: backend.timeouts.callMs,
      signal,
      accept: [400, 404],
      pastCircuit: true,
    },
    async ({ body }) => {
      body.resume();
    },
  );
}

function pathOf(id: string): string {
  const parts = id.split(':');
  const request = parts.pop();
  return `/${parts.join('/')}/requests/${request}`;
}

function notFound(): ProviderError {
  return new ProviderError('unavailable', 'The run no longer exists on the backend.', { retryable: true });
}
