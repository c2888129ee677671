import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { ConnectionError } from './errors.ts';
import { decideRetryMs, sleep } from './retry.ts';

const refused = (status: number, retryAfterSeconds: number | null = null) =>
  new ApiError({ status, code: 'x', title: '', detail: '', issues: [], requestId: null, retryAfterSeconds });

test.each([408, 429, 500, 502, 503, 504])('%i is retried', (status) => {
  expect(decideRetryMs(refused(status), 0)).toBeGreaterThan(0);
});

test.each([400, 401, 402, 403, 404, 409, 413, 415])('%i is final', (status) => {
  expect(decideRetryMs(refused(status, 1), 0)).toBeNull();
});

test('a connection error is retried, a bug is not', () => {
  expect(decideRetryMs(new ConnectionError('broken'), 0)).toBeGreaterThan(0);
  expect(decideRetryMs(new TypeError('bug'), 0)).toBeNull();
});

test('the delay doubles up to 8 s, with jitter', () => {
  const error = new ConnectionError('broken');
  expect([0, 1, 2, 3, 4, 9].map((attempt) => decideRetryMs(error, attempt, () => 1))).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 8_000,
  ]);
  expect(decideRetryMs(error, 0, () => 0)).toBe(250);
});

test('Retry-After is a lower limit, and more than a minute is left to the caller', () => {
  expect(decideRetryMs(refused(429, 5), 0, () => 1)).toBe(5_250);
  expect(decideRetryMs(refused(429, 61), 0)).toBeNull();
});

test('an aborted signal ends a sleep with its reason', async () => {
  const controller = new AbortController();
  const sleeping = sleep(60_000, controller.signal);
  controller.abort(new Error('stop'));
  await expect(sleeping).rejects.toThrow('stop');
});
