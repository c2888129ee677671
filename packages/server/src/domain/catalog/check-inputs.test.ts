import type { InputLimits } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import { checkInputs, type InputFacts } from './check-inputs.ts';
import type { MediaRef } from './check-params.ts';
import { sampleModel, sampleParam } from './testing/sample-model.ts';

const PARAMS = [
  sampleParam('image', { kind: 'media', accept: 'image' }),
  sampleParam('images', { kind: 'media_list', accept: 'image', minItems: 0, maxItems: 4 }),
  sampleParam('video', { kind: 'media', accept: 'video' }),
  sampleParam('audio', { kind: 'media', accept: 'audio' }),
];

const factsOf = (facts: Partial<InputFacts>): InputFacts => ({
  id: 'a',
  kind: 'image',
  bytes: 1_000,
  width: 100,
  height: 50,
  durationSeconds: null,
  ...facts,
});
const image: MediaRef = { param: 'image', accept: 'image', ids: ['a'], path: 'params.image' };
const video: MediaRef = { param: 'video', accept: 'video', ids: ['a'], path: 'params.video' };

function judge(
  media: readonly MediaRef[],
  facts: readonly InputFacts[],
  { limits, draft = false }: { limits?: InputLimits; draft?: boolean } = {},
) {
  const model = sampleModel({ params: PARAMS, ...(limits === undefined ? {} : { inputLimits: limits }) });
  try {
    checkInputs({ model, media, found: new Map(facts.map((each) => [each.id, each])), draft });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return {
      code: error.code,
      detail: error.message,
      issues: error.issues?.map((each) => Object.values(each).join(' ')),
    };
  }
  return null;
}

test('an upload within the limits is accepted', () => {
  expect(judge([image], [factsOf({})])).toBeNull();
  expect(judge([], [])).toBeNull();
});

describe('missing', () => {
  test('an unknown id is reported with its path', () => {
    const list: MediaRef = { param: 'images', accept: 'image', ids: ['a', 'b', 'c'], path: 'params.images' };
    expect(judge([image], [])).toMatchObject({
      code: 'invalid_params',
      issues: ['params.image is not an upload of this account'],
    });
    expect(judge([list], [factsOf({ id: 'b' })])?.issues).toEqual([
      'params.images.0 is not an upload of this account',
      'params.images.2 is not an upload of this account',
    ]);
  });
  test('a draft may omit it; the rest is checked', () => {
    expect(judge([image], [], { draft: true })).toBeNull();
    expect(judge([image], [factsOf({ kind: 'audio' })], { draft: true })?.code).toBe('wrong_media');
  });
});

test('another media type is wrong_media', () => {
  expect(judge([image], [factsOf({ kind: 'audio' })])).toEqual({
    code: 'wrong_media',
    detail: 'The param image takes an image; the upload is audio.',
    issues: ['params.image must be an image'],
  });
  expect(judge([video], [factsOf({ kind: 'image' })])?.issues).toEqual(['params.video must be a video']);
});

describe('seconds', () => {
  const limits = { minInputSeconds: 3, maxInputSeconds: 10 };
  const seconds = (durationSeconds: number | null) =>
    judge([video], [factsOf({ kind: 'video', durationSeconds })], { limits });
  test.each([2.9, 3, 10, 10.1])('%d is accepted: containers round by up to 0.1 s', (value) =>
    expect(seconds(value)).toBeNull(),
  );
  test('a duration outside the limits is input_duration and never rounded to a value within them', () => {
    expect(seconds(2.899)).toEqual({
      code: 'input_duration',
      detail: 'The video lasts 2.8 seconds; this model takes at least 3.',
      issues: ['params.video lasts 2.8 seconds, at least 3 are allowed'],
    });
    expect(seconds(10.101)?.issues).toEqual(['params.video lasts 10.2 seconds, at most 10 are allowed']);
    expect(seconds(null)?.code).toBe('input_duration');
  });
  test('images have no duration', () => expect(judge([image], [factsOf({})], { limits })).toBeNull());
  test('without limits any duration is accepted', () => {
    expect(judge([video], [factsOf({ kind: 'video', durationSeconds: null })])).toBeNull();
  });
});

describe('size', () => {
  const at = (facts: Partial<InputFacts>, limits: InputLimits, upscaleFactor?: number) =>
    judge([upscaleFactor === undefined ? image : { ...image, upscaleFactor }], [factsOf(facts)], { limits });
  test('bytes', () => {
    expect(at({ bytes: 500 }, { maxInputBytes: 500 })).toBeNull();
    expect(at({ bytes: 501 }, { maxInputBytes: 500 })).toMatchObject({
      code: 'input_too_large',
      issues: ['params.image has 501 bytes, at most 500 are allowed'],
    });
  });
  test('pixels of the output: both sides are multiplied by the factor', () => {
    expect(at({}, { maxOutputPixels: 20_000 }, 2)).toBeNull();
    expect(at({}, { maxOutputPixels: 19_999 }, 2)).toEqual({
      code: 'input_too_large',
      detail: 'The image would give 200 x 100 pixels; this model makes at most 19999.',
      issues: ['params.image gives 20000 pixels, at most 19999 are allowed'],
    });
    expect(at({}, { maxOutputPixels: 4_999 })?.code).toBe('input_too_large');
  });
  test('maxOutputPixels and maxOutputSide count expand_*, in pixels or percent', () => {
    const expanded = (expand: NonNullable<MediaRef['expand']>, limits: InputLimits, upscaleFactor = 1) =>
      judge([{ ...image, expand, upscaleFactor }], [factsOf({})], { limits });
    const pixels = { unit: 'pixels', left: 10, right: 20, top: 0, bottom: 50 } as const;
    expect(expanded(pixels, { maxOutputPixels: 13_000 })).toBeNull();
    expect(expanded(pixels, { maxOutputPixels: 12_999 })).toEqual({
      code: 'input_too_large',
      detail: 'The image would give 130 x 100 pixels; this model makes at most 12999.',
      issues: ['params.image gives 13000 pixels, at most 12999 are allowed'],
    });
    expect(expanded(pixels, { maxOutputSide: 129 })?.code).toBe('input_too_large');
    const percent = { unit: 'percent', left: 25, right: 25, top: 15, bottom: 0 } as const;
    expect(expanded(percent, { maxOutputPixels: 150 * 58 })).toBeNull();
    expect(expanded(percent, { maxOutputPixels: 150 * 58 - 1 })?.code).toBe('input_too_large');
    expect(expanded(percent, { maxOutputPixels: 300 * 116 - 1 }, 2)?.code).toBe('input_too_large');
  });
  test('the longer side of the output', () => {
    expect(at({}, { maxOutputSide: 400 }, 4)).toBeNull();
    expect(at({ width: 50, height: 101 }, { maxOutputSide: 400 }, 4)?.issues).toEqual([
      'params.image gives a side of 404 pixels, at most 400 are allowed',
    ]);
  });
  test('side limits do not apply to uploads without dimensions', () => {
    expect(at({ width: null, height: null }, { maxOutputSide: 1, maxOutputPixels: 1 })).toBeNull();
  });
});

test('the most severe error is reported first', () => {
  const limits = { maxInputSeconds: 5, maxInputBytes: 10 };
  const long = factsOf({ kind: 'video', durationSeconds: 6, bytes: 11 });
  expect(judge([video], [long], { limits })?.code).toBe('input_duration');
  expect(judge([{ ...image, ids: ['x'] }, video], [long], { limits })?.code).toBe('invalid_params');
  expect(
    judge([image, { ...video, ids: ['b'] }], [factsOf({ kind: 'audio' }), { ...long, id: 'b' }], { limits })?.code,
  ).toBe('wrong_media');
});
