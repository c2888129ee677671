import type { Issue, ParamDescriptor, ParamName, ParamValue, ParamValues } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import type { CatalogEffect, CatalogModel } from './catalog.ts';
import { findEffectMedia } from './find-effect-media.ts';
import { judgeParam } from './judge-param.ts';

/** Uploads that a request names in one param. */
export interface MediaRef {
  readonly param: ParamName;
  readonly accept: 'image' | 'audio' | 'video';
  readonly ids: readonly string[];
  readonly path: string;
  /** How many times larger each side comes out; absent where the request does not say. */
  readonly upscaleFactor?: number;
}

/** One param as the request may send it. */
interface Slot {
  readonly descriptor: ParamDescriptor;
  /** Set where an effect's input feeds a param of the model that has another name. */
  readonly feeds?: ParamDescriptor;
}

const MAX_ISSUES = 50;
const MAX_NAME_TOLD = 64;
/** Every effect takes a prompt; this bounds it where the model itself has none. */
const EFFECT_PROMPT_MAX_LENGTH = 2_000;

/** The params with the model's defaults filled in, and the uploads they name; every fault is told at once. */
export function checkParams(options: {
  model: CatalogModel;
  effect: CatalogEffect | null;
  params: ParamValues;
  /** An unfinished form: what is missing is passed over, what is sent is judged. */
  draft: boolean;
}): { effective: ParamValues; media: readonly MediaRef[] } {
  const { model, effect, params, draft } = options;
  if (effect !== null && effect.entry.modelId !== model.entry.id) {
    refuse([{ path: 'effectId', message: 'is an effect of another model' }]);
  }
  const slots = effect === null ? modelSlots(model) : effectSlots(model, effect);
  const sent = Object.entries(params).filter(([, value]) => value !== undefined);
  const stranger = effect === null ? 'is not a param of this model' : 'is not taken by this effect';
  const issues: Issue[] = [];
  for (const [name, value] of sent) {
    const slot = slots.get(name);
    const path = `params.${name.slice(0, MAX_NAME_TOLD)}`;
    if (slot === undefined) issues.push({ path, message: stranger });
    else issues.push(...judgeParam({ descriptor: slot.descriptor, value, path }));
  }
  const given = new Set(sent.map(([name]) => name));
  for (const [name, { descriptor }] of slots) {
    if (descriptor.required && !draft && !given.has(name))
      issues.push({ path: `params.${name}`, message: 'is required' });
  }
  if (issues.length > 0) refuse(issues);
  return settle({ model, slots, sent });
}

function modelSlots(model: CatalogModel): ReadonlyMap<string, Slot> {
  return new Map(model.entry.params.map((descriptor) => [descriptor.name, { descriptor }]));
}

/** An effect takes its input and a prompt, nothing else; what else the model needs comes from its defaults. */
function effectSlots(model: CatalogModel, effect: CatalogEffect): ReadonlyMap<string, Slot> {
  const { input } = effect.entry;
  const feeds = findEffectMedia(model.entry, input);
  if (feeds === undefined) throw new Error(`the effect ${effect.entry.id} does not fit the model ${model.entry.id}`);
  const { ui } = feeds;
  const own = model.entry.params.find(({ name }) => name === 'prompt');
  const prompt: ParamDescriptor =
    own === undefined
      ? { name: 'prompt', kind: 'text', required: false, maxLength: EFFECT_PROMPT_MAX_LENGTH, ui }
      : { ...own, required: false };
  const source: ParamDescriptor =
    input.type === 'video'
      ? { name: 'video', kind: 'media', accept: 'video', required: true, ui }
      : {
          name: 'images',
          kind: 'media_list',
          accept: 'image',
          minItems: input.min,
          maxItems: input.max,
          required: true,
          ui,
        };
  return new Map([
    [source.name, { descriptor: source, feeds }],
    ['prompt', { descriptor: prompt }],
  ]);
}

function settle(options: {
  model: CatalogModel;
  slots: ReadonlyMap<string, Slot>;
  sent: readonly (readonly [string, ParamValue])[];
}): { effective: ParamValues; media: readonly MediaRef[] } {
  const { model, slots, sent } = options;
  const effective: Record<string, ParamValue> = { ...model.entry.defaults };
  const refs: Omit<MediaRef, 'upscaleFactor'>[] = [];
  for (const [name, value] of sent) {
    const slot = slots.get(name)!;
    const target = slot.feeds ?? slot.descriptor;
    const single = Array.isArray(value) && target.kind === 'media';
    effective[target.name] = single ? value[0]! : value;
    if (target.kind !== 'media' && target.kind !== 'media_list') continue;
    const ids = single ? value.slice(0, 1) : Array.isArray(value) ? value : [String(value)];
    const path = single ? `params.${name}.0` : `params.${name}`;
    refs.push({ param: target.name, accept: target.accept, ids, path });
  }
  const factor = effective.upscale_factor;
  const media = refs.map((ref) => (typeof factor === 'number' ? { ...ref, upscaleFactor: factor } : ref));
  return { effective, media };
}

function refuse(issues: readonly Issue[]): never {
  const told = issues.slice(0, MAX_ISSUES);
  const [first] = told;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  throw new Problem('invalid_params', `The params are not valid: ${first?.path} ${first?.message}${more}.`, {
    issues: told,
  });
}
