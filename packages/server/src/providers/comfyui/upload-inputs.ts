import { FormData } from 'undici';
import { ProviderError, type ProviderJob } from '../provider.ts';
import type { Backend } from '../remote/backend.ts';
import { callJson } from '../remote/call-json.ts';
import { asRecord } from '../remote/explain-answer.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { blobOf, type InputFile, openFieldFiles } from '../remote/fields/input-file.ts';

const FOLDER = 'atelier';

/** Sends the uploads of a job to the server and returns the name of each there. A retry overwrites them. */
export async function uploadInputs(
  backend: Backend,
  { job, fields }: { job: ProviderJob; fields: readonly Field[] },
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const each of fields) {
    if ('value' in each) continue;
    const files = await openFieldFiles(each, job);
    for (const [index, path] of each.files.entries()) {
      if (names.has(path)) continue;
      const name = `${job.generationId}-${names.size}`;
      names.set(path, await upload(backend, { file: files[index] as InputFile, name, signal: job.signal }));
    }
  }
  return names;
}

async function upload(
  backend: Backend,
  { file, name, signal }: { file: InputFile; name: string; signal: AbortSignal },
): Promise<string> {
  const form = new FormData();
  form.append('image', await blobOf(file), `${name}.${file.extension}`);
  form.append('type', 'input');
  form.append('subfolder', FOLDER);
  form.append('overwrite', 'true');
  const { value } = await callJson(backend, {
    method: 'POST',
    path: '/upload/image',
    form,
    timeoutMs: backend.timeouts.downloadMs,
    signal,
  });
  const { name: given, subfolder } = asRecord(value);
  if (typeof given !== 'string')
    throw new ProviderError('unavailable', 'The backend rejected an upload.', { retryable: true });
  return typeof subfolder === 'string' && subfolder !== '' ? `${subfolder}/${given}` : given;
}
