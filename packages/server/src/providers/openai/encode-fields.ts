import { FormData } from 'undici';
import { ProviderError, type ProviderJob } from '../provider.ts';
import type { Field } from '../remote/fields/field-map.ts';
import { blobOf, openFieldFiles } from '../remote/fields/input-file.ts';
import { setField } from '../remote/fields/map-fields.ts';

export function encodeJson(fields: readonly Field[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const each of fields) {
    if (!('value' in each)) throw new ProviderError('internal', 'The route sends a file where only text is accepted.');
    setField(body, each.field, each.value);
  }
  return body;
}

/** Files never keep the customer's file name. */
export async function encodeForm(
  fields: readonly Field[],
  job: Pick<ProviderJob, 'inputs' | 'workDir'>,
): Promise<FormData> {
  const form = new FormData();
  for (const each of fields) {
    if ('value' in each) {
      const { value } = each;
      form.append(each.field, typeof value === 'object' ? JSON.stringify(value) : String(value));
      continue;
    }
    for (const [index, file] of (await openFieldFiles(each, job)).entries())
      form.append(each.field, await blobOf(file), `input-${index}.${file.extension}`);
  }
  return form;
}
