import { join } from 'node:path';
import type { ProducedOutput, ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { TransportError } from '../remote/backend-errors.ts';
import { callBackend } from '../remote/call-backend.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { saveBody } from '../remote/outputs/save-output.ts';
import { encodeJson } from './encode-fields.ts';

/** Makes speech. The response is plain bytes. */
export async function makeSpeech(
  backend: Backend,
  { job, fields, index }: { job: ProviderJob; fields: readonly Field[]; index: number },
): Promise<ProducedOutput[]> {
  const path = join(job.workDir, `speech-${index}`);
  await callBackend(
    backend,
    {
      method: 'POST',
      path: '/audio/speech',
      json: encodeJson(fields),
      timeoutMs: backend.timeouts.makeMs,
      signal: job.signal,
    },
    (answer) => {
      if (/^(application\/json|text\/)/.test(String(answer.headers['content-type'] ?? ''))) {
        answer.body.destroy();
        throw TransportError.unreadable();
      }
      return saveBody(answer, { path, maxBytes: backend.maxOutputBytes });
    },
  );
  return [{ path }];
}
