import type { Backend } from '../remote/backend.ts';
import { callBackend } from '../remote/call-backend.ts';
import { callJson } from '../remote/call-json.ts';
import { asRecord } from '../remote/explain-answer.ts';
import { type Asked, readQueue } from './find-prompt.ts';

/** Since this version `/interrupt` stops only the given prompt. Older versions stop whatever runs. */
const TARGETED_SINCE = [0, 3, 57] as const;

/** Removes a prompt from the queue, or stops it. If that could stop another prompt, it is left running. */
export async function cancelPrompt(
  backend: Backend,
  { id, signal }: Pick<Asked, 'id' | 'signal'>,
): Promise<'removed' | 'stopped' | 'left'> {
  const asked = { id, signal, pastCircuit: true };
  if ((await readQueue(backend, asked)).pending.includes(id)) {
    await post(backend, { path: '/queue', json: { delete: [id] }, signal });
    const after = await readQueue(backend, asked);
    if (!after.pending.includes(id) && !after.running.includes(id)) return 'removed';
  }
  if (!(await stopsByName(backend, asked))) return 'left';
  // Checked last, so that the prompt that is stopped is the one that was seen.
  if (!(await readQueue(backend, asked)).running.includes(id)) return 'left';
  await post(backend, { path: '/interrupt', json: { prompt_id: id }, signal });
  return 'stopped';
}

async function stopsByName(backend: Backend, { signal }: Asked): Promise<boolean> {
  const { value, status } = await callJson(backend, {
    method: 'GET',
    path: '/system_stats',
    signal,
    accept: [404],
    pastCircuit: true,
  });
  const version = asRecord(asRecord(value).system).comfyui_version;
  if (status >= 300 || typeof version !== 'string') return false;
  const parts = version.replace(/^v/, '').split('.').map(Number);
  for (const [index, least] of TARGETED_SINCE.entries()) {
    const part = parts[index] ?? 0;
    if (!Number.isInteger(part)) return false;
    if (part !== least) return part > least;
  }
  return true;
}

function post(backend: Backend, call: { path: string; json: unknown; signal: AbortSignal }): Promise<void> {
  return callBackend(
    backend,
    { method: 'POST', timeoutMs: backend.timeouts.callMs, accept: [404], pastCircuit: true, ...call },
    async ({ body }) => {
      body.resume();
    },
  );
}
