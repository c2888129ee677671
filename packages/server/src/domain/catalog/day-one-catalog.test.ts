import { resolve } from 'node:path';
import {
  EffectsResponse,
  ModelsResponse,
  type ParamDescriptor,
  type ParamValue,
  type ParamValues,
  TASK_TYPES,
} from '@atelier/contract';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import type { CatalogEffect, CatalogModel } from './catalog.ts';
import { checkInputs, type InputFacts } from './check-inputs.ts';
import { checkParams } from './check-params.ts';
import { listEffects } from './list-effects.ts';
import { listModels } from './list-models.ts';
import { loadCatalog } from './load-catalog.ts';
import { priceRequest } from './price-request.ts';

const RUNS_PER_MODEL = 1_000;
const catalog = await loadCatalog(resolve(import.meta.dirname, '../../../../../catalog'));
const models = [...catalog.models.values()].map((model) => [model.entry.id, model] as const);
const effects = [...catalog.effects.values()].map((effect) => [effect.entry.id, effect] as const);

/** Uploads that every model accepts, by kind. */
const uploads: Record<'image' | 'video' | 'audio', InputFacts> = {
  image: {
    id: '00000000-0000-4000-8000-00000000000a',
    kind: 'image',
    bytes: 1_000,
    width: 1_000,
    height: 800,
    durationSeconds: null,
  },
  video: {
    id: '00000000-0000-4000-8000-00000000000b',
    kind: 'video',
    bytes: 1_000,
    width: 640,
    height: 360,
    durationSeconds: 4.04,
  },
  audio: {
    id: '00000000-0000-4000-8000-00000000000c',
    kind: 'audio',
    bytes: 1_000,
    width: null,
    height: null,
    durationSeconds: 12.5,
  },
};
const found = new Map(Object.values(uploads).map((each) => [each.id, each]));

function quote(
  model: CatalogModel,
  params: ParamValues,
  { effect = null, draft = false }: { effect?: CatalogEffect | null; draft?: boolean } = {},
) {
  const { effective, media } = checkParams({ model, effect, params, draft });
  checkInputs({ model, media, found, draft });
  return priceRequest({ model, effect, params: effective, found });
}

function valuesOf(descriptor: ParamDescriptor): fc.Arbitrary<ParamValue> {
  switch (descriptor.kind) {
    case 'text':
      return fc.string({
        minLength: Math.max(1, descriptor.minLength ?? 1),
        maxLength: descriptor.maxLength,
        size: 'max',
      });
    case 'enum':
      return fc.constantFrom(...descriptor.values);
    case 'range': {
      const { min, max, step } = descriptor;
      return fc
        .integer({ min: 0, max: Math.floor((max - min) / step + 1e-9) })
        .map((steps) => Math.min(max, min + steps * step));
    }
    case 'seed':
      return fc.integer({ min: 0, max: descriptor.max });
    case 'media':
      return fc.constant(uploads[descriptor.accept].id);
    case 'media_list':
      return fc.array(fc.constant(uploads[descriptor.accept].id), {
        minLength: descriptor.minItems,
        maxLength: descriptor.maxItems,
      });
  }
}

function requestsOf(model: CatalogModel): fc.Arbitrary<ParamValues> {
  const { params } = model.entry;
  const shape = Object.fromEntries(params.map((each) => [each.name, valuesOf(each)]));
  const requiredKeys = params.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(shape, { requiredKeys }) as fc.Arbitrary<ParamValues>;
}

/** The smallest request that the model accepts. */
function leastOf(model: CatalogModel): Record<string, ParamValue> {
  const required = model.entry.params.filter((each) => each.required);
  return Object.fromEntries(required.map((each) => [each.name, atBounds(each)[0]!]));
}

/** Values at the bounds of a descriptor. */
function atBounds(descriptor: ParamDescriptor): ParamValue[] {
  switch (descriptor.kind) {
    case 'text':
      return [descriptor.minLength ?? 1, descriptor.maxLength].map((length) => 'x'.repeat(length));
    case 'enum':
      return [...descriptor.values];
    case 'range':
      return [descriptor.min, descriptor.max];
    case 'seed':
      return [0, descriptor.max];
    case 'media':
      return [uploads[descriptor.accept].id];
    case 'media_list':
      return [descriptor.minItems, descriptor.maxItems].map((length) =>
        Array(length).fill(uploads[descriptor.accept].id),
      );
  }
}

/** Values just outside the bounds of a descriptor, off its step, or of another type. */
function pastBounds(descriptor: ParamDescriptor): unknown[] {
  switch (descriptor.kind) {
    case 'text': {
      const short = descriptor.minLength ?? (descriptor.required ? 1 : 0);
      return ['x'.repeat(descriptor.maxLength + 1), ...(short > 0 ? ['x'.repeat(short - 1)] : []), 7];
    }
    case 'enum':
      return [
        'no such value',
        ...descriptor.values.map((value) => (typeof value === 'string' ? `${value} ` : String(value))),
      ];
    case 'range': {
      const { min, max, step } = descriptor;
      return [min - step, max + step, min + step / 2, String(min)];
    }
    case 'seed':
      return [-1, descriptor.max + 1, 0.5, '1'];
    case 'media':
      return ['not an id', uploads[descriptor.accept].id.toUpperCase(), [uploads[descriptor.accept].id]];
    case 'media_list': {
      const list = (length: number) => Array(length).fill(uploads[descriptor.accept].id);
      return [
        list(descriptor.maxItems + 1),
        ...(descriptor.minItems > 0 ? [list(descriptor.minItems - 1)] : []),
        uploads.image.id,
      ];
    }
  }
}

function problemOf(run: () => unknown): Problem | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

test('covers every kind of param, every modality and every effect input', () => {
  const entries = models.map(([, { entry }]) => entry);
  const kinds = new Set(entries.flatMap(({ params }) => params.map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual(['enum', 'media', 'media_list', 'range', 'seed', 'text']);
  expect(new Set(entries.map(({ modality }) => modality))).toEqual(new Set(['image', 'video', 'audio', '3d']));
  expect(new Set(effects.map(([, { entry }]) => entry.input.type))).toEqual(new Set(['images', 'video']));
});

test('the lists match the contract', () => {
  const closedModelIds = new Set<string>();
  expect(Compile(ModelsResponse).Errors(listModels(catalog, { closedModelIds }))).toEqual([]);
  expect(
    Compile(EffectsResponse).Errors(listEffects(catalog, { closedModelIds, publicUrl: 'http://127.0.0.1:8080' })),
  ).toEqual([]);
});

test('every task type has a model with a route, and most run on a CPU', () => {
  const served = (isServed: (provider: string) => boolean) =>
    new Set(
      models
        .filter(([, model]) => model.routes.some(({ provider }) => isServed(provider)))
        .map(([, model]) => model.entry.taskType),
    );
  expect([...served(() => true)].sort()).toEqual([...TASK_TYPES].sort());
  expect(served((provider) => provider === 'local').size).toBeGreaterThanOrEqual(34);
});

test('priceFromCoins of some models, calculated by hand', () => {
  expect(Object.fromEntries(models.map(([id, { entry }]) => [id, entry.priceFromCoins]))).toMatchObject({
    canvas: 7,
    'canvas-draft': 2,
    collage: null,
    painter: null,
    'clip-maker': 30,
    'portrait-animate': null,
    'film-look': null,
    voice: null,
    composer: 11,
    scribe: null,
    solid: 20,
    'restorer-upscale': null,
    'clip-upscale': null,
    'stem-split': null,
  });
});

test('every model has a description', () => {
  expect(models.filter(([, { entry }]) => entry.description === null).map(([id]) => id)).toEqual([]);
});

describe.each(models)('%s', (_id, model) => {
  test('priceFromCoins is the price of a request with only a prompt, null if that is refused', () => {
    const prompt = 'sim:ok';
    const refused = problemOf(() => quote(model, { prompt }));
    if (refused === null) expect(quote(model, { prompt }).coins).toBe(model.entry.priceFromCoins);
    else expect(model.entry.priceFromCoins).toBeNull();
  });

  test(`${RUNS_PER_MODEL} valid requests are accepted and priced in whole coins`, () => {
    fc.assert(
      fc.property(requestsOf(model), (params) => {
        const { coins, coinsPerOutput, outputs, lines } = quote(model, params);
        const wholeCoins = [coins, coinsPerOutput, ...lines.map((line) => line.coins)];
        return (
          outputs === (params.num_outputs ?? model.entry.defaults.num_outputs ?? 1) &&
          coins === coinsPerOutput * outputs &&
          coinsPerOutput >= 1 &&
          wholeCoins.every((each) => Number.isSafeInteger(each) && each >= 0) &&
          lines.reduce((total, line) => total + line.coins, 0) === coinsPerOutput &&
          // A complete draft costs the same.
          quote(model, params, { draft: true }).coins === coins
        );
      }),
      { numRuns: RUNS_PER_MODEL },
    );
  });

  test('every value at a bound is accepted, every one outside is refused with its path', () => {
    const least = leastOf(model);
    for (const descriptor of model.entry.params) {
      const { name } = descriptor;
      for (const value of atBounds(descriptor)) {
        expect(
          problemOf(() => quote(model, { ...least, [name]: value })),
          `${name} ${String(value).slice(0, 40)}`,
        ).toBeNull();
      }
      for (const value of pastBounds(descriptor)) {
        for (const draft of [false, true]) {
          const problem = problemOf(() => quote(model, { ...least, [name]: value } as ParamValues, { draft }));
          expect(problem?.code, `${name} ${String(value).slice(0, 40)}`).toBe('invalid_params');
          expect(problem?.issues?.map(({ path }) => path)).toEqual([`params.${name}`]);
        }
      }
    }
  });

  test('a missing required param is reported by name, but not in a draft', () => {
    for (const { name, required } of model.entry.params) {
      const { [name]: _left, ...rest } = leastOf(model);
      const problem = problemOf(() => quote(model, rest));
      if (required) expect(problem?.issues).toEqual([{ path: `params.${name}`, message: 'is required' }]);
      else expect(problem).toBeNull();
      expect(problemOf(() => quote(model, rest, { draft: true }))).toBeNull();
    }
  });

  test('uploads outside the limits are refused', () => {
    const { inputLimits: limits = {}, params } = model.entry;
    for (const each of params) {
      if (each.kind !== 'media' || !each.required) continue;
      const facts = uploads[each.accept];
      const judge = (more: Partial<InputFacts>) => {
        const { media } = checkParams({ model, effect: null, params: leastOf(model), draft: false });
        return problemOf(() =>
          checkInputs({ model, media, found: new Map([...found, [facts.id, { ...facts, ...more }]]), draft: false }),
        )?.code;
      };
      const { minInputSeconds, maxInputSeconds, maxInputBytes, maxOutputSide } = limits;
      expect(judge({ kind: each.accept === 'image' ? 'audio' : 'image' })).toBe('wrong_media');
      if (maxInputSeconds && each.accept !== 'image')
        expect(judge({ durationSeconds: maxInputSeconds + 0.101 })).toBe('input_duration');
      if (minInputSeconds && each.accept !== 'image')
        expect(judge({ durationSeconds: minInputSeconds - 0.101 })).toBe('input_duration');
      if (maxInputBytes)
        expect([judge({ bytes: maxInputBytes }), judge({ bytes: maxInputBytes + 1 })]).toEqual([
          undefined,
          'input_too_large',
        ]);
      if (maxOutputSide) expect(judge({ width: maxOutputSide + 1, height: 2 })).toBe('input_too_large');
    }
  });
});

describe.each(effects)('effect %s', (_id, effect) => {
  const model = catalog.models.get(effect.entry.modelId)!;
  const { input } = effect.entry;
  const params: ParamValues =
    input.type === 'video' ? { video: uploads.video.id } : { images: Array(input.min).fill(uploads.image.id) };

  test('runs with its input, with and without a prompt, at the price of the model plus its surcharge', () => {
    const plain = quote(model, { ...leastOf(model), ...params });
    expect(quote(model, params, { effect }).coins).toBe(plain.coins + effect.surchargeCoins);
    expect(quote(model, { ...params, prompt: 'sim:ok' }, { effect }).coins).toBe(plain.coins + effect.surchargeCoins);
    expect(quote(model, {}, { effect, draft: true }).coins).toBeGreaterThan(0);
  });

  test('is refused without its input, with too many images, and with other params', () => {
    const code = (sent: ParamValues) => problemOf(() => quote(model, sent, { effect }))?.code;
    expect(code({})).toBe('invalid_params');
    expect(code({ ...params, seed: 1 })).toBe('invalid_params');
    if (input.type === 'images')
      expect(code({ images: Array(input.max + 1).fill(uploads.image.id) })).toBe('invalid_params');
  });
});
