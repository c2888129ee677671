import { expect, test } from 'vitest';
import { computePriceFrom } from './compute-price-from.ts';
import { sampleModel, sampleParam } from './testing/sample-model.ts';

const prompt = sampleParam('prompt', { kind: 'text', minLength: 5, maxLength: 10, required: true });
const outputs = sampleParam('num_outputs', { kind: 'range', min: 1, max: 4, step: 1 });
const price = { perOutput: 3 };

test('priceFromCoins is the full price of a request that sets only the prompt, with the defaults of the model', () => {
  expect(computePriceFrom(sampleModel({ price, params: [prompt, outputs], defaults: { num_outputs: 2 } }))).toBe(6);
  expect(computePriceFrom(sampleModel({ price, params: [{ ...prompt, required: false }] }))).toBe(3);
});

test('priceFromCoins is null if more than the prompt is required', () => {
  const image = sampleParam('image', { kind: 'media', accept: 'image', required: true });
  const text = sampleParam('text', { kind: 'text', maxLength: 10, required: true });
  expect(computePriceFrom(sampleModel({ price, params: [prompt, image] }))).toBeNull();
  expect(computePriceFrom(sampleModel({ price, params: [prompt, text] }))).toBeNull();
});

test('priceFromCoins is null if the model has no prompt', () => {
  expect(computePriceFrom(sampleModel({ price, params: [outputs] }))).toBeNull();
});
