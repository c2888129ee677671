import { FormData } from 'undici';
import { ProviderError, type ProviderJob } from '../../provider.ts';
import type { Backend } from '../backend.ts';
import { callJson } from '../call-json.ts';
import { asRecord } from '../explain-answer.ts';
import { checkOutputUrl } from '../outputs/save-output.ts';
import type { Field } from './field-map.ts';
import { blobOf, dataUrlOf, type InputFile, openFieldFiles } from './input-file.ts';
import { setField } from './map-fields.ts';

/** A file inside the JSON is in memory three times. */
const MAX_INLINE_BYTES = 64_000_000;
/** Cog refuses a larger body since 0.22. The rest is for the other fields. */
const MAX_COG_BODY_BYTES = 100 * 1024 * 1024;
const MAX_COG_FILE_CHARS = MAX_COG_BODY_BYTES - 1024 * 1024;
/** Replicate wants larger files uploaded first. */
const MAX_REPLICATE_INLINE_BYTES = 256_000;

/** The model's input: files go as data URLs, or as links to where they were uploaded. */
export async function encodeInput(
  backend: Backend,
  { job, fields }: { job: ProviderJob; fields: readonly Field[] },
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  let inlineChars = 0;
  for (const each of fields) {
    if ('value' in each) {
      setField(input, each.field, each.value);
      continue;
    }
    const urls: string[] = [];
    for (const file of await openFieldFiles(each, job)) {
      inlineChars += 4 * Math.ceil(file.bytes / 3);
      if (backend.provider === 'cog' && inlineChars > MAX_COG_FILE_CHARS)
        throw new ProviderError(
          'invalid_input',
          `The uploads together exceed what this model accepts: ${MAX_COG_BODY_BYTES} bytes, encoded.`,
        );
      urls.push(await linkTo(backend, { file, signal: job.signal }));
    }
    setField(input, each.field, each.list ? urls : urls[0]);
  }
  return input;
}

async function linkTo(backend: Backend, { file, signal }: { file: InputFile; signal: AbortSignal }): Promise<string> {
  if (backend.provider !== 'replicate' || file.bytes <= MAX_REPLICATE_INLINE_BYTES)
    return dataUrlOf(file, { maxBytes: MAX_INLINE_BYTES });
  const form = new FormData();
  form.append('content', await blobOf(file), `input.${file.extension}`);
  const { value } = await callJson(backend, {
    method: 'POST',
    path: '/files',
    form,
    timeoutMs: backend.timeouts.downloadMs,
    signal,
  });
  const link = asRecord(asRecord(value).urls).get;
  if (typeof link !== 'string')
    throw new ProviderError('unavailable', 'The backend rejected an upload.', { retryable: true });
  return checkOutputUrl(backend, link).url;
}
