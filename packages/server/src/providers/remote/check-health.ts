import { ProviderError } from '../provider.ts';
import type { Backend } from './backend.ts';
import { TransportError } from './backend-errors.ts';
import { type Answer, callBackend } from './call-backend.ts';
import { readJson } from './call-json.ts';
import { asRecord } from './explain-answer.ts';

const PROBES = {
  openai: '/models',
  comfyui: '/system_stats',
  cog: '/health-check',
  replicate: '/account',
  fal: '/',
} as const;
const COG_ALIVE = new Set(['READY', 'BUSY']);
const MAX_PROBE_BYTES = 5_000_000;

/** Probes a backend and reports the result to its circuit. */
export async function checkHealth(backend: Backend, signal: AbortSignal): Promise<boolean> {
  try {
    await callBackend(
      backend,
      // A server without this path is alive too.
      {
        method: 'GET',
        path: PROBES[backend.provider],
        timeoutMs: backend.timeouts.callMs,
        retries: 0,
        // Many releases of Cog answer nothing while a prediction runs.
        probesBusyServer: backend.provider === 'cog',
        accept: [404, 405],
        signal,
      },
      (answer) => judgeAnswer(backend, answer),
    );
    return true;
  } catch (error) {
    // A refusal is an answer, but the backend accepts no work.
    if (error instanceof ProviderError || signal.aborted) return false;
    throw error;
  }
}

async function judgeAnswer(backend: Backend, answer: Answer): Promise<void> {
  if (backend.provider !== 'cog' || answer.status >= 400) {
    answer.body.destroy();
    return;
  }
  const { status } = asRecord(await readJson(answer, { maxBytes: MAX_PROBE_BYTES }));
  if (!COG_ALIVE.has(String(status)))
    throw new TransportError('The model of the backend is not ready.', { sent: true });
}
