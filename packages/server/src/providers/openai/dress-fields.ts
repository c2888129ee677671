import type { Dialect } from '../remote/backend.ts';
import type { Field } from '../remote/fields/field-map.ts';
import type { Operation } from './route.ts';

/** Fields that sd.cpp reads beside the prompt; every other field goes into the tag inside it. */
const SD_CPP_FIELDS = new Set([
  'prompt',
  'model',
  'n',
  'size',
  'output_format',
  'output_compression',
  'response_format',
  'image',
  'image[]',
  'mask',
]);
const INLINE_DIALECTS: ReadonlySet<Dialect> = new Set(['sglang', 'vllm-omni', 'sd-cpp', 'localai']);

/** The fields in the dialect of this server. Pure. */
export function dressFields(
  fields: readonly Field[],
  { dialect, operation, model }: { dialect: Dialect; operation: Operation; model: string | undefined },
): Field[] {
  const dressed = new Map(fields.map((each) => [each.field, each]));
  const put = (field: string, value: unknown) => dressed.set(field, { field, value });
  if (model !== undefined) put('model', model);
  // With timestamps for subtitles, unless the route sets another format: some models refuse it.
  if (operation === 'transcriptions' && !dressed.has('response_format')) put('response_format', 'verbose_json');
  if (operation === 'images' || operation === 'edits') {
    // A link would have to be fetched, and SGLang refuses to return one.
    if (INLINE_DIALECTS.has(dialect)) put('response_format', 'b64_json');
    if (dialect === 'openai') foldForOpenAi(dressed);
    if (dialect === 'localai') foldForLocalAi(dressed);
    if (dialect === 'sd-cpp') foldForSdCpp(dressed);
  }
  if (operation === 'videos' && dialect === 'openai') foldForOpenAi(dressed);
  return [...dressed.values()].map((each) => dressFile(each, dialect));
}

/** OpenAI refuses fields it does not know: it has no seed, and the negative prompt goes into the prompt. */
function foldForOpenAi(fields: Map<string, Field>): void {
  fields.delete('seed');
  const negative = takeText(fields, 'negative_prompt');
  if (negative !== undefined)
    fields.set('prompt', { field: 'prompt', value: `${textOf(fields, 'prompt')}\nDo not show: ${negative}` });
}

/** LocalAI splits the prompt at a bar: the negative prompt follows it. */
function foldForLocalAi(fields: Map<string, Field>): void {
  const prompt = textOf(fields, 'prompt').replaceAll('|', ' ');
  const negative = takeText(fields, 'negative_prompt')?.replaceAll('|', ' ');
  fields.set('prompt', { field: 'prompt', value: negative === undefined ? prompt : `${prompt}|${negative}` });
}

function foldForSdCpp(fields: Map<string, Field>): void {
  const extras: Record<string, unknown> = {};
  for (const each of [...fields.values()]) {
    if (SD_CPP_FIELDS.has(each.field) || !('value' in each)) continue;
    extras[each.field] = each.value;
    fields.delete(each.field);
  }
  if (Object.keys(extras).length === 0) return;
  // They contain customer text: none of its brackets may end the tag.
  const json = JSON.stringify(extras).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
  const prompt = `${textOf(fields, 'prompt')}<sd_cpp_extra_args>${json}</sd_cpp_extra_args>`;
  fields.set('prompt', { field: 'prompt', value: prompt });
}

/** OpenAI's mask is transparent where ours is white. Its lists have brackets, and sd.cpp needs these for several pictures. */
function dressFile(each: Field, dialect: Dialect): Field {
  if ('value' in each || (dialect !== 'openai' && dialect !== 'sd-cpp')) return each;
  if (each.field === 'mask') return dialect === 'openai' ? { ...each, mask: each.mask ?? 'alpha' } : each;
  return each.field === 'image' && each.list ? { ...each, field: 'image[]' } : each;
}

function textOf(fields: ReadonlyMap<string, Field>, name: string): string {
  const found = fields.get(name);
  return found !== undefined && 'value' in found ? String(found.value) : '';
}

function takeText(fields: Map<string, Field>, name: string): string | undefined {
  const text = textOf(fields, name);
  fields.delete(name);
  return text === '' ? undefined : text;
}
