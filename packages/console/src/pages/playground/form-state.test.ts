import type { Effect, Model, ParamDescriptor } from '@atelier/contract';
import { expect, test } from 'vitest';
import { describeForm, findHint, readIssues, startValues, type Target, toParams, withValue } from './form-state.ts';

const ui = (group: ParamDescriptor['ui']['group'], order: number, control: ParamDescriptor['ui']['control']) => ({
  control,
  group,
  order,
});
const params: ParamDescriptor[] = [
  { name: 'seed', kind: 'seed', required: false, max: 9, ui: ui('advanced', 5, 'seed') },
  { name: 'num_outputs', kind: 'range', required: false, min: 1, max: 4, step: 1, ui: ui('basic', 4, 'slider') },
  { name: 'style', kind: 'enum', required: true, values: ['a', 'b'], ui: ui('basic', 3, 'select') },
  { name: 'prompt', kind: 'text', required: true, minLength: 2, maxLength: 5, ui: ui('prompt', 2, 'prompt') },
  {
    name: 'images',
    kind: 'media_list',
    accept: 'image',
    required: false,
    minItems: 2,
    maxItems: 4,
    ui: ui('inputs', 1, 'images'),
  },
];
const model = { id: 'm', params, defaults: { num_outputs: 1, style: 'a' } } as unknown as Model;
const target: Target = { model, effect: null };

test('the fields are in the order of their groups, then of their numbers', () => {
  expect(describeForm(target).map(({ name }) => name)).toEqual(['prompt', 'images', 'style', 'num_outputs', 'seed']);
});

test('a form starts with the defaults, and takes from a link what its fields can show', () => {
  const given = { prompt: 'hi', style: 'z', seed: 7, num_outputs: 'many', voice: 'alba' };
  expect(startValues(target, given)).toEqual({ prompt: 'hi', style: 'a', num_outputs: 1, seed: 7 });
});

test('the request leaves out what is empty or the default, but not what is required', () => {
  const values = { prompt: 'hi', style: 'a', num_outputs: 1, images: [] };
  expect(toParams(target, values)).toEqual({ prompt: 'hi', style: 'a' });
  expect(toParams(target, { ...values, num_outputs: 2, seed: 0 })).toEqual({
    prompt: 'hi',
    style: 'a',
    num_outputs: 2,
    seed: 0,
  });
});

test('another picture takes the mask of the old one away', () => {
  const values = { image: 'a', mask: 'm', prompt: 'x' };
  expect(withValue(values, 'image', 'b')).toEqual({ image: 'b', prompt: 'x' });
  expect(withValue(values, 'image', undefined)).toEqual({ prompt: 'x' });
  expect(withValue(values, 'mask', 'n')).toEqual({ image: 'a', mask: 'n', prompt: 'x' });
  expect(withValue(values, 'prompt', 'y')).toEqual({ image: 'a', mask: 'm', prompt: 'y' });
});

test('an emptied text replaces a default text', () => {
  const withDefault = { ...model, defaults: { prompt: 'sky' } } as Model;
  expect(toParams({ model: withDefault, effect: null }, { prompt: '' })).toEqual({ prompt: '' });
});

test('an effect asks for its input and a prompt that nobody needs', () => {
  const effect: Effect = {
    id: 'vhs',
    kind: 'image',
    category: 'style',
    nameKey: 'effects.vhs.name',
    thumbnail: null,
    input: { type: 'images', min: 1, max: 3 },
    modelId: 'm',
  };
  expect(describeForm({ model, effect })).toMatchObject([
    { name: 'images', minItems: 1, maxItems: 3, required: true },
    { name: 'prompt', maxLength: 5, required: false },
  ]);
  const video = describeForm({ model, effect: { ...effect, input: { type: 'video' } } });
  expect(video[0]).toMatchObject({ name: 'video', kind: 'media', accept: 'video' });
});

test.each([
  ['prompt', undefined, { kind: 'required' }],
  ['prompt', '', { kind: 'required' }],
  ['prompt', 'x', { kind: 'tooShort', limit: 2 }],
  ['prompt', '🙂🙂🙂🙂🙂', null],
  ['prompt', '🙂🙂🙂🙂🙂🙂', { kind: 'tooLong', limit: 5 }],
  ['seed', 10, { kind: 'notInRange', min: 0, max: 9 }],
  ['seed', undefined, null],
  ['num_outputs', 5, { kind: 'notInRange', min: 1, max: 4 }],
  ['images', ['a'], { kind: 'tooFew', limit: 2 }],
  ['style', 'b', null],
] as const)('%s %j gives the hint %j', (name, value, hint) => {
  const descriptor = params.find((each) => each.name === name)!;
  expect(findHint(descriptor, Array.isArray(value) ? [...value] : (value as string | number | undefined))).toEqual(
    hint,
  );
});

test('refusals of the server belong to their fields', () => {
  const issues = [
    { path: 'params.prompt', message: 'is required' },
    { path: 'params.images.1', message: 'must be the id of an upload' },
    { path: 'params.images.2', message: 'second' },
    { path: 'consent', message: 'must be true' },
    { path: 'params.voice', message: 'is not a param of this model' },
  ];
  const read = readIssues(issues, params);
  expect([...read.byParam]).toEqual([
    ['prompt', 'is required'],
    ['images', 'must be the id of an upload'],
  ]);
  expect(read.others.map(({ path }) => path)).toEqual(['consent', 'params.voice']);
});
