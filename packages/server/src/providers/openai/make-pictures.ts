import { join } from 'node:path';
import { type ProducedOutput, ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { TransportError } from '../remote/backend-errors.ts';
import { callJson } from '../remote/call-json.ts';
import { asRecord } from '../remote/explain-answer.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { saveBase64, saveOutput } from '../remote/outputs/save-output.ts';
import { encodeForm, encodeJson } from './encode-fields.ts';

/** Makes pictures from text, or from pictures and text. The call stays open until they are finished. */
export async function makePictures(
  backend: Backend,
  {
    job,
    fields,
    operation,
    index,
  }: { job: ProviderJob; fields: readonly Field[]; operation: 'images' | 'edits'; index: number },
): Promise<ProducedOutput[]> {
  const edits = operation === 'edits';
  const { value } = await callJson(backend, {
    method: 'POST',
    path: edits ? '/images/edits' : '/images/generations',
    ...(edits ? { form: await encodeForm(fields, job) } : { json: encodeJson(fields) }),
    timeoutMs: backend.timeouts.makeMs,
    signal: job.signal,
  });
  const { data } = asRecord(value);
  if (!Array.isArray(data))
    throw new ProviderError('unavailable', TransportError.unreadable().message, { retryable: true });
  const outputs: ProducedOutput[] = [];
  for (const each of data.slice(0, job.outputs)) {
    const { b64_json: base64, url } = asRecord(each);
    const path = join(job.workDir, `picture-${index}-${outputs.length}`);
    if (typeof base64 === 'string' && base64 !== '') await saveBase64(backend, { base64, path });
    else if (typeof url === 'string') await saveOutput(backend, { url, path, signal: job.signal });
    else continue;
    outputs.push({ path });
  }
  return outputs;
}
