import type { ParamValues } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import type { CatalogEffect, CatalogModel } from './catalog.ts';
import { checkParams } from './check-params.ts';
import { sampleModel, sampleParam } from './testing/sample-model.ts';

const ONE = '0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14';
const TWO = '0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2';

const canvas = sampleModel({
  params: [
    sampleParam('prompt', { kind: 'text', maxLength: 10, required: true }),
    sampleParam('style', { kind: 'enum', values: ['ink', 'oil'] }),
    sampleParam('num_outputs', { kind: 'range', min: 1, max: 4, step: 1 }),
    sampleParam('seed', { kind: 'seed', max: 9 }),
  ],
  defaults: { style: 'ink', num_outputs: 2 },
});
const upscaler = sampleModel({
  params: [
    sampleParam('image', { kind: 'media', accept: 'image', required: true }),
    sampleParam('mask', { kind: 'media', accept: 'image' }),
    sampleParam('upscale_factor', { kind: 'enum', values: [2, 4] }),
  ],
  defaults: { upscale_factor: 2 },
});
const painter = sampleModel({
  params: [
    sampleParam('images', { kind: 'media_list', accept: 'image', minItems: 1, maxItems: 4, required: true }),
    sampleParam('prompt', { kind: 'text', maxLength: 10, required: true }),
    sampleParam('style', { kind: 'enum', values: ['ink', 'oil'] }),
  ],
  defaults: { style: 'oil' },
});
const film = sampleModel({ params: [sampleParam('video', { kind: 'media', accept: 'video', required: true })] });

const effectOf = (input: CatalogEffect['entry']['input'], modelId = 'sample'): CatalogEffect => ({
  entry: { id: 'e', kind: 'image', category: 'style', nameKey: 'effects.e.name', thumbnail: null, input, modelId },
  surchargeCoins: 0,
  settings: {},
  prompt: null,
});

function check(model: CatalogModel, params: object, more: { effect?: CatalogEffect; draft?: boolean } = {}) {
  return checkParams({ model, params: params as ParamValues, effect: more.effect ?? null, draft: more.draft ?? false });
}

function issuesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.code).toBe('invalid_params');
    return (error.issues ?? []).map(({ path, message }) => `${path} ${message}`);
  }
  return [];
}

describe('without an effect', () => {
  test('omitted params get their defaults', () => {
    expect(check(canvas, { prompt: 'sea' })).toEqual({
      effective: { prompt: 'sea', style: 'ink', num_outputs: 2 },
      media: [],
    });
    expect(check(canvas, { prompt: 'sea', style: 'oil', seed: 0 }).effective).toEqual({
      prompt: 'sea',
      style: 'oil',
      num_outputs: 2,
      seed: 0,
    });
  });

  test('all param errors are reported together: unknown names with "did you mean", missing and invalid values', () => {
    const params = { style: 'gouache', numOutputs: 5, promt: 'sea', image: ONE, num_outputs: {}, seed: undefined };
    expect(issuesOf(() => check(canvas, params))).toEqual([
      'params.style must be one of "ink", "oil"',
      'params.numOutputs is not a param of this model; did you mean num_outputs?',
      'params.promt is not a param of this model; did you mean prompt?',
      'params.image is not a param of this model',
      'params.num_outputs must be a number',
      'params.prompt is required',
    ]);
  });

  test('an unknown name is refused, even one that objects inherit', () => {
    for (const name of ['colour', 'constructor', 'toString', 'hasOwnProperty', '__proto__']) {
      const params = JSON.parse(`{"prompt":"x","${name}":"y"}`);
      expect(issuesOf(() => check(canvas, params))).toEqual([`params.${name} is not a param of this model`]);
    }
  });

  test('at most 50 issues are reported, and long names are truncated', () => {
    const params = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}-${'n'.repeat(500)}`, 1]));
    const issues = issuesOf(() => check(canvas, params));
    expect(issues).toHaveLength(50);
    expect(Math.max(...issues.map((each) => each.length))).toBeLessThan(120);
  });

  test('uploads are collected, with their upscale factor', () => {
    const { media } = check(upscaler, { image: ONE, mask: TWO, upscale_factor: 4 });
    expect(media).toEqual([
      { param: 'image', accept: 'image', ids: [ONE], path: 'params.image', upscaleFactor: 4 },
      { param: 'mask', accept: 'image', ids: [TWO], path: 'params.mask', upscaleFactor: 4 },
    ]);
    expect(check(upscaler, { image: ONE }).media[0]?.upscaleFactor).toBe(2);
    expect(check(painter, { images: [ONE, TWO], prompt: 'x' }).media).toEqual([
      { param: 'images', accept: 'image', ids: [ONE, TWO], path: 'params.images' },
    ]);
  });

  test('the expansion is reported with its unit', () => {
    const outpainter = sampleModel({
      params: [
        sampleParam('image', { kind: 'media', accept: 'image', required: true }),
        sampleParam('expand_left', { kind: 'range', min: 0, max: 25, step: 1 }),
        sampleParam('expand_top', { kind: 'range', min: 0, max: 25, step: 1 }),
      ],
      defaults: { expand_left: 15 },
      expandUnit: 'percent',
    });
    expect(check(outpainter, { image: ONE, expand_top: 5 }).media[0]?.expand).toEqual({
      unit: 'percent',
      left: 15,
      right: 0,
      top: 5,
      bottom: 0,
    });
  });

  test('the given params are not changed', () => {
    const params = Object.freeze({ prompt: 'sea' });
    check(canvas, params);
    expect(canvas.entry.defaults).toEqual({ style: 'ink', num_outputs: 2 });
  });
});

describe('a draft', () => {
  test('may omit required params', () => {
    expect(check(canvas, {}, { draft: true }).effective).toEqual({ style: 'ink', num_outputs: 2 });
    expect(check(upscaler, {}, { draft: true }).media).toEqual([]);
    expect(issuesOf(() => check(upscaler, {}))).toEqual(['params.image is required']);
  });

  test('is checked for the params it has', () => {
    expect(issuesOf(() => check(canvas, { num_outputs: 0, prompt: '' }, { draft: true }))).toEqual([
      'params.num_outputs must be at least 1',
      'params.prompt must not be empty',
    ]);
  });
});

describe('with an effect', () => {
  const two = effectOf({ type: 'images', min: 2, max: 3 });

  test('accepts its images and a prompt, but does not require the prompt', () => {
    const { effective, media } = check(painter, { images: [ONE, TWO] }, { effect: two });
    expect(effective).toEqual({ images: [ONE, TWO], style: 'oil' });
    expect(media).toEqual([{ param: 'images', accept: 'image', ids: [ONE, TWO], path: 'params.images' }]);
    expect(check(painter, { images: [ONE, TWO], prompt: 'red' }, { effect: two }).effective.prompt).toBe('red');
  });

  test('accepts nothing else, even if the model does', () => {
    expect(issuesOf(() => check(painter, { images: [ONE, TWO], style: 'ink' }, { effect: two }))).toEqual([
      'params.style is not taken by this effect',
    ]);
  });

  test('its own number of images applies, also in a draft', () => {
    for (const draft of [false, true]) {
      expect(issuesOf(() => check(painter, { images: [ONE] }, { effect: two, draft }))).toEqual([
        'params.images must have at least 2 items',
      ]);
      expect(issuesOf(() => check(painter, { images: [ONE, ONE, ONE, ONE] }, { effect: two, draft }))).toEqual([
        'params.images must have at most 3 items',
      ]);
    }
    expect(check(painter, {}, { effect: two, draft: true }).effective).toEqual({ style: 'oil' });
    expect(issuesOf(() => check(painter, {}, { effect: two }))).toEqual(['params.images is required']);
  });

  test('on a model with a single image, the first of the images is used', () => {
    const one = effectOf({ type: 'images', min: 1, max: 1 });
    const { effective, media } = check(upscaler, { images: [ONE] }, { effect: one });
    expect(effective).toEqual({ image: ONE, upscale_factor: 2 });
    expect(media).toEqual([{ param: 'image', accept: 'image', ids: [ONE], path: 'params.images.0', upscaleFactor: 2 }]);
    expect(issuesOf(() => check(upscaler, { image: ONE }, { effect: one }))).toEqual([
      'params.image is not taken by this effect; did you mean images?',
      'params.images is required',
    ]);
  });

  test('a video effect accepts a video, and a bounded prompt even if the model has none', () => {
    const effect = effectOf({ type: 'video' });
    expect(check(film, { video: ONE, prompt: 'x'.repeat(2_000) }, { effect }).media).toEqual([
      { param: 'video', accept: 'video', ids: [ONE], path: 'params.video' },
    ]);
    expect(issuesOf(() => check(film, { video: ONE, prompt: 'x'.repeat(2_001) }, { effect }))).toEqual([
      'params.prompt must have at most 2000 characters',
    ]);
  });

  test('of another model is refused', () => {
    const effect = effectOf({ type: 'video' }, 'other');
    expect(issuesOf(() => check(film, { video: ONE }, { effect }))).toEqual(['effectId is an effect of another model']);
  });
});
