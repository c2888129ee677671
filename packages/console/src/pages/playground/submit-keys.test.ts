import { IDEMPOTENCY_KEY_PATTERN } from '@atelier/contract';
import { expect, test } from 'vitest';
import { createSubmitKeys, isRefusal } from './submit-keys.ts';

const body = (maxCoins: number) => ({ modelId: 'm', params: { prompt: 'x' }, maxCoins });

test('a submit keeps its key until it has an outcome', () => {
  const keys = createSubmitKeys();
  const first = keys.keyFor(body(3));
  expect(first).toMatch(new RegExp(IDEMPOTENCY_KEY_PATTERN));
  expect(keys.keyFor(body(3))).toBe(first);
  keys.settle();
  expect(keys.keyFor(body(3))).not.toBe(first);
});

test('another form is another submit', () => {
  const keys = createSubmitKeys();
  const first = keys.keyFor(body(3));
  const second = keys.keyFor(body(4));
  expect(second).not.toBe(first);
  expect(keys.keyFor(body(4))).toBe(second);
});

test.each([
  [null, false],
  [400, true],
  [402, true],
  [409, false],
  [429, false],
  [500, false],
  [503, false],
])('an answer of %j is a refusal: %j', (status, expected) => {
  expect(isRefusal(status)).toBe(expected);
});
