import type { Model } from '@atelier/sdk';
import { expect, test } from 'vitest';
import { readParams } from './read-params.ts';

const ui = { control: 'select', group: 'basic', order: 1 } as const;
const model = {
  id: 'm',
  params: [
    { name: 'prompt', kind: 'text', maxLength: 100, required: true, ui },
    { name: 'num_outputs', kind: 'range', min: 1, max: 4, step: 1, required: false, ui },
    { name: 'upscale_factor', kind: 'enum', values: [2, 4], required: false, ui },
    { name: 'pbr', kind: 'enum', values: [true, false], required: false, ui },
    { name: 'image', kind: 'media', accept: 'image', required: false, ui },
    { name: 'images', kind: 'media_list', accept: 'image', minItems: 0, maxItems: 4, required: false, ui },
  ],
} as unknown as Pick<Model, 'id' | 'params'>;
const ID = '0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2';
const read = (values: string[], inputs: string[] = [], prompt?: string) =>
  readParams(model, { prompt, values, inputs });

test('values have the type of their param', () => {
  expect(read(['num_outputs=2', 'upscale_factor=4', 'pbr=true'], [], 'a = b').params).toEqual({
    prompt: 'a = b',
    num_outputs: 2,
    upscale_factor: 4,
    pbr: true,
  });
});

test('an input is a file or the id of an upload, for a named param or the first media param', () => {
  expect(read([], ['photo.png']).files).toEqual([{ param: 'image', path: 'photo.png', isList: false }]);
  expect(read(['image=a/b.png']).files).toEqual([{ param: 'image', path: 'a/b.png', isList: false }]);
  const { params, files } = read([], [`images=${ID}`, 'images=b.png', `image=${ID}`]);
  expect(params).toEqual({ images: [ID], image: ID });
  expect(files).toEqual([{ param: 'images', path: 'b.png', isList: true }]);
});

test.each([
  ['seed=1', 'm has no param seed. It has: prompt, num-outputs, upscale-factor, pbr, image, images'],
  ['num_outputs=two', 'num_outputs must be a number'],
  ['upscale_factor=3', 'upscale_factor must be one of 2, 4'],
])('%s is refused', (pair, message) => {
  expect(() => read([pair])).toThrow(message);
});

test('a model without a prompt or files says so', () => {
  const bare = { id: 'bare', params: [] };
  expect(() => readParams(bare, { prompt: 'x', values: [], inputs: [] })).toThrow('bare takes no prompt');
  expect(() => readParams(bare, { prompt: undefined, values: [], inputs: ['a.png'] })).toThrow('takes no input files');
});
