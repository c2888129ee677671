import type { Backend } from './backend.ts';
import { TransportError } from './backend-errors.ts';
import { type Answer, type Call, callBackend } from './call-backend.ts';
import { readBytes, tooLarge } from './outputs/read-bytes.ts';

/** A call with a JSON response. Anything else is an error of the backend. */
export function callJson(
  backend: Backend,
  call: Omit<Call, 'timeoutMs'> & { timeoutMs?: number },
): Promise<{ status: number; value: unknown }> {
  return callBackend(backend, { timeoutMs: backend.timeouts.callMs, ...call }, async (answer) => ({
    status: answer.status,
    value: await readJson(answer, { maxBytes: backend.maxAnswerBytes }),
  }));
}

export async function readJson(answer: Answer, { maxBytes }: { maxBytes: number }): Promise<unknown> {
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) {
    answer.body.destroy();
    throw tooLarge(maxBytes);
  }
  const text = (await readBytes(answer.body, { maxBytes })).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    // An error response is identified by its status; its body may have any format.
    if (answer.status >= 400) return null;
    throw TransportError.unreadable();
  }
}
