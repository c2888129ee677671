import type { Issue, ParamDescriptor, ParamName, ParamValue, ParamValues } from '@atelier/contract';
import { invalidParams } from '../../platform/problem.ts';
import { suggestName } from '../../platform/suggest-name.ts';
import type { CatalogEffect, CatalogModel, ExpandUnit } from './catalog.ts';
import { findEffectMedia } from './find-effect-media.ts';
import { judgeParam } from './judge-param.ts';

/** The uploads in one param of a request. */
export interface MediaRef {
  readonly param: ParamName;
  readonly accept: 'image' | 'audio' | 'video';
  readonly ids: readonly string[];
  readonly path: string;
  /** The factor by which each side grows; absent if the request does not set it. */
  readonly upscaleFactor?: number;
  /** What is added on each side; absent if the model does not expand. */
  readonly expand?: Expand;
}

interface Expand {
  readonly unit: ExpandUnit;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const EXPAND_PARAMS = [
  'expand_left',
  'expand_right',
  'expand_top',
  'expand_bottom',
] as const satisfies ParamName[];

/** One param that the request may set. */
interface Slot {
  readonly descriptor: ParamDescriptor;
  /** Set if the input of an effect maps to a model param with another name. */
  readonly feeds?: ParamDescriptor;
}

const MAX_ISSUES = 50;
const MAX_NAME_TOLD = 64;
/** Every effect takes a prompt; this is its limit if the model has none. */
const EFFECT_PROMPT_MAX_LENGTH = 2_000;

interface ParamsRequest {
  readonly model: CatalogModel;
  readonly effect: CatalogEffect | null;
  readonly params: ParamValues;
  /** An unfinished form: missing params are ignored, the others are checked. */
  readonly draft: boolean;
}

interface CheckedParams {
  /** The params with the model's defaults filled in. */
  readonly effective: ParamValues;
  /** The uploads in these params. */
  readonly media: readonly MediaRef[];
}

/** Checks the params against the model and reports all errors at once. */
export function checkParams(request: ParamsRequest): CheckedParams {
  const { issues, ...checked } = judgeParams(request);
  if (issues.length > 0) refuseParams(issues);
  return checked;
}

/** The same, but returns the errors, for a caller that adds more. Invalid params are omitted. */
export function judgeParams(request: ParamsRequest): CheckedParams & { readonly issues: readonly Issue[] } {
  const { model, effect, params, draft } = request;
  if (effect !== null && effect.entry.modelId !== model.entry.id) {
    refuseParams([{ path: 'effectId', message: 'is an effect of another model' }]);
  }
  const slots = effect === null ? modelSlots(model) : effectSlots(model, effect);
  const sent = Object.entries(params).filter(([, value]) => value !== undefined);
  const issues: Issue[] = [];
  const sound: [string, ParamValue][] = [];
  for (const [name, value] of sent) {
    // Stop at the maximum number of issues: a body may have thousands of names.
    if (issues.length >= MAX_ISSUES) break;
    const slot = slots.get(name);
    const path = `params.${name.slice(0, MAX_NAME_TOLD)}`;
    const errors =
      slot === undefined
        ? [{ path, message: describeStranger({ name, slots, effect }) }]
        : judgeParam({ descriptor: slot.descriptor, value, path });
    if (errors.length === 0) sound.push([name, value]);
    else issues.push(...errors);
  }
  const given = new Set(sent.map(([name]) => name));
  for (const [name, { descriptor }] of slots) {
    if (descriptor.required && !draft && !given.has(name))
      issues.push({ path: `params.${name}`, message: 'is required' });
  }
  return { issues, ...settle({ model, slots, sent: sound }) };
}

function describeStranger(options: {
  name: string;
  slots: ReadonlyMap<string, Slot>;
  effect: CatalogEffect | null;
}): string {
  const { name, slots, effect } = options;
  const stranger = effect === null ? 'is not a param of this model' : 'is not taken by this effect';
  const meant = suggestName(name, slots.keys());
  return meant === null ? stranger : `${stranger}; did you mean ${meant}?`;
}

function modelSlots(model: CatalogModel): ReadonlyMap<string, Slot> {
  return new Map(model.entry.params.map((descriptor) => [descriptor.name, { descriptor }]));
}

/** An effect accepts its input and a prompt, nothing else; other params of the model have their defaults. */
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
}): CheckedParams {
  const { model, slots, sent } = options;
  const effective: Record<string, ParamValue> = { ...model.entry.defaults };
  const refs: MediaRef[] = [];
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
  const growth = readGrowth(model, effective);
  return { effective, media: refs.map((ref) => ({ ...ref, ...growth })) };
}

/** How much larger the output is than the input. */
function readGrowth(model: CatalogModel, effective: ParamValues): Pick<MediaRef, 'upscaleFactor' | 'expand'> {
  const factor = effective.upscale_factor;
  const [left, right, top, bottom] = EXPAND_PARAMS.map((name) => Number(effective[name] ?? 0)) as FourSides;
  const { expandUnit: unit } = model;
  return {
    ...(typeof factor === 'number' ? { upscaleFactor: factor } : {}),
    ...(unit === null ? {} : { expand: { unit, left, right, top, bottom } }),
  };
}

type FourSides = [number, number, number, number];

export function refuseParams(issues: readonly Issue[]): never {
  throw invalidParams('Invalid params', issues.slice(0, MAX_ISSUES), issues.length);
}
