import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { callBackend } from '../remote/call-backend.ts';
import { callJson } from '../remote/call-json.ts';
import { isRunning, type Prediction, readPrediction, webhookFields } from './prediction.ts';

const ASK_AGAIN_MS = 1_000;
const CANCEL_MS = 5_000;

/**
 * Runs a prediction on a Cog server. It has no status call, so the request stays open until the end. If the server
 * reports that it still runs it for a lost worker, that run is canceled where possible, then started again.
 */
export async function runCog(
  backend: Backend,
  { id, input, job }: { id: string; input: Record<string, unknown>; job: ProviderJob },
): Promise<Prediction> {
  const { signal } = job;
  const callback = backend.callbacks ? job.callback : undefined;
  const busyUntilMs = Date.now() + backend.timeouts.busyMs;
  try {
    for (;;) {
      const { status, value } = await callJson(backend, {
        method: 'PUT',
        path: `/predictions/${id}`,
        json: { input, ...webhookFields(backend, job) },
        timeoutMs: backend.timeouts.makeMs,
        signal,
        accept: [409],
      });
      if (status === 409 && Date.now() >= busyUntilMs)
        throw new ProviderError('unavailable', 'The backend is busy.', { retryable: true });
      if (status !== 409) {
        const prediction = readPrediction(value);
        if (!isRunning(prediction)) return prediction;
        await cancelPrediction(backend, { id, signal });
      }
      await (callback?.pause(ASK_AGAIN_MS) ?? sleep(ASK_AGAIN_MS, undefined, { signal }));
    }
  } catch (error) {
    if (signal.aborted) await cancelPrediction(backend, { id, signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => {});
    throw error;
  }
}

/** Not every prediction can be canceled; an unknown or uncancelable one is not an error. */
export function cancelPrediction(backend: Backend, { id, signal }: { id: string; signal: AbortSignal }): Promise<void> {
  return callBackend(
    backend,
    {
      method: 'POST',
      path: `/predictions/${id}/cancel`,
      timeoutMs: backend.timeouts.callMs,
      signal,
      accept: [400, 404, 409, 422],
      pastCircuit: true,
    },
    async ({ body }) => {
      body.resume();
    },
  );
}
