import { createHash } from 'node:crypto';
import type { ParamValues } from '@atelier/contract';
import { ProviderError, type ProviderJob } from '../../provider.ts';
import { type Field, type FieldMap, type FileField, shapeValue, targetsOf } from './field-map.ts';

const MAX_SEED = 2 ** 31 - 1;
/** A server reads this tag inside a prompt as settings. It has no other use. */
const RESERVED_TAG = /<\s*\/?\s*sd_cpp_extra_args/i;

/** The fields of one call. `index` counts the calls of a job that needs several: each gets its own seed. */
export function mapFields(
  route: FieldMap,
  { job, index }: { job: Pick<ProviderJob, 'generationId' | 'params' | 'inputs' | 'effectSettings'>; index: number },
): Field[] {
  const map = route.map ?? {};
  const params = withEffect(withSeed(job, { index, wanted: 'seed' in map }), job.effectSettings);
  checkAccepted(route, params);
  const fields = new Map<string, Field>();
  const effectConstants = job.effectSettings.constants as FieldMap['constants'];
  for (const [field, value] of Object.entries({ ...route.constants, ...effectConstants }))
    fields.set(field, { field, value });
  for (const param of Object.keys(map)) {
    const value = params[param as keyof ParamValues];
    if (value === undefined) continue;
    if (typeof value === 'string' && RESERVED_TAG.test(value))
      throw new ProviderError('invalid_input', `The ${param} contains a reserved tag.`);
    for (const target of targetsOf(map, param)) {
      const { field } = target;
      const files = job.inputs[param];
      if (files !== undefined) {
        if (files.length === 0) continue;
        const mask = target.mask === undefined ? {} : { mask: target.mask };
        fields.set(field, joinFiles(fields.get(field), { field, files, list: Array.isArray(value), ...mask }));
      } else {
        const shaped = shapeValue(value, target);
        if (shaped !== undefined) fields.set(field, { field, value: shaped });
      }
    }
  }
  for (const lookup of route.lookups ?? []) {
    const found = lookup.values[lookup.by.map((name) => String(params[name as keyof ParamValues] ?? '')).join(' ')];
    if (found === undefined) continue;
    const before = fields.get(lookup.field);
    const joined =
      lookup.join !== undefined && before !== undefined && 'value' in before
        ? `${String(before.value)}${lookup.join}${String(found)}`
        : found;
    fields.set(lookup.field, { field: lookup.field, value: joined });
  }
  return [...fields.values()];
}

function checkAccepted({ accepts = {} }: FieldMap, params: ParamValues): void {
  for (const [name, values] of Object.entries(accepts)) {
    const value = params[name as keyof ParamValues];
    if (value !== undefined && !values.some((each) => each === value))
      throw new ProviderError('unavailable', `No backend serves ${name} ${String(value)}.`);
  }
}

/** Two params may feed one field, as a person and a garment do. */
function joinFiles(before: Field | undefined, now: FileField): FileField {
  if (before === undefined || !('files' in before)) return now;
  return { ...now, files: [...before.files, ...now.files], list: true };
}

/** Stored graphs hold a fixed seed, so a request without one gets its own, the same on every attempt. */
function withSeed(
  { generationId, params }: Pick<ProviderJob, 'generationId' | 'params'>,
  { index, wanted }: { index: number; wanted: boolean },
): ParamValues {
  if (!wanted) return params;
  const given = typeof params.seed === 'number' ? params.seed : seedOf(generationId);
  return { ...params, seed: (given + index) % (MAX_SEED + 1) };
}

function seedOf(generationId: string): number {
  return createHash('sha256').update(generationId).digest().readUInt32BE(0) & MAX_SEED;
}

/** The effect's own instruction comes first; what the customer adds follows it. */
function withEffect(params: ParamValues, effectSettings: Readonly<Record<string, unknown>>): ParamValues {
  const { prompt } = effectSettings;
  if (typeof prompt !== 'string') return params;
  return { ...params, prompt: params.prompt ? `${prompt} ${String(params.prompt)}` : prompt };
}

/** How many calls a job needs: one if the route sends the count, else one for each output. */
export function countCalls(route: FieldMap, job: Pick<ProviderJob, 'outputs'>): number {
  const handedOver = route.map?.num_outputs !== undefined;
  return handedOver ? 1 : job.outputs;
}

/** Sets a value at a dotted path, creating missing records. */
export function setField(record: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.split('.');
  const last = steps.pop() as string;
  let at = record;
  for (const step of steps) {
    const next = Object.hasOwn(at, step) ? at[step] : undefined;
    if (typeof next === 'object' && next !== null) at = next as Record<string, unknown>;
    else {
      const made: Record<string, unknown> = {};
      Object.defineProperty(at, step, { value: made, enumerable: true, writable: true, configurable: true });
      at = made;
    }
  }
  Object.defineProperty(at, last, { value, enumerable: true, writable: true, configurable: true });
}
