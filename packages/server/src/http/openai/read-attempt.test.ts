import { expect, test } from 'vitest';
import { readAttempt } from './read-attempt.ts';

test.each([
  [{}, { retryCount: null }],
  [{ 'x-stainless-retry-count': '0' }, { retryCount: 0 }],
  [{ 'x-stainless-retry-count': '2' }, { retryCount: 2 }],
  [{ 'x-stainless-retry-count': 'two' }, { retryCount: null }],
  [{ 'idempotency-key': '' }, { retryCount: null }],
  [{ 'idempotency-key': '0123456789abcdef', 'x-stainless-retry-count': '2' }, { idempotencyKey: '0123456789abcdef' }],
])('%j', (headers, attempt) => {
  expect(readAttempt(headers)).toEqual(attempt);
});

test('a malformed key is refused', () => {
  expect(() => readAttempt({ 'idempotency-key': 'short' })).toThrow(
    expect.objectContaining({ code: 'invalid_params' }),
  );
});
