import { FAILURE_CODES } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import { MediaRefused } from '../../../media/media-facts.ts';
import { ObjectStoreUnavailable } from '../../../platform/object-store/object-store.ts';
import { ProviderError } from '../../../providers/provider.ts';
import { type Decision, decideFailure, MAX_TRIES, Overtaken } from './decide-failure.ts';

const first = { tries: 1, leaseLost: false };
const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
const busy = new ProviderError('unavailable', 'Busy.', { retryable: true });

describe('a provider error', () => {
  test.each(FAILURE_CODES)('with code %s ends the generation with that code', (code) => {
    expect(decideFailure(new ProviderError(code, 'Said so.'), first)).toEqual({ kind: 'fail', code });
  });

  test('that is retryable is retried with exponential backoff, then ends the generation', () => {
    const decisions = [1, 2, 3, 4, 5].map((tries) => decideFailure(busy, { tries, leaseLost: false }));
    const end: Decision = { kind: 'fail', code: 'unavailable' };
    const retry = (delayMs: number): Decision => ({ kind: 'retry', delayMs, code: 'unavailable' });
    expect(MAX_TRIES).toBe(4);
    expect(decisions).toEqual([retry(500), retry(1_000), retry(2_000), end, end]);
  });
});

describe('an error of our own', () => {
  test('of an unknown type ends the generation', () => {
    const decision = decideFailure(new TypeError('secret is undefined'), first);
    expect(decision).toEqual({ kind: 'fail', code: 'internal' });
  });

  test('about an unreadable output ends the generation', () => {
    const refused = new MediaRefused('upload_invalid', 'The file cannot be read.');
    expect(decideFailure(refused, first)).toMatchObject({ kind: 'fail', code: 'internal' });
  });

  test('of the object store is retried', () => {
    expect(decideFailure(new ObjectStoreUnavailable('away'), first)).toMatchObject({
      kind: 'retry',
      code: 'unavailable',
    });
    const last = { tries: MAX_TRIES, leaseLost: false };
    expect(decideFailure(new ObjectStoreUnavailable('away'), last)).toMatchObject({
      kind: 'fail',
      code: 'unavailable',
    });
  });
});

describe('an unavailable provider', () => {
  const refused = new ProviderError('unavailable', 'The key is not accepted.');

  test('is replaced by another route if there is one', () => {
    expect(decideFailure(refused, { ...first, hasOther: true })).toMatchObject({ kind: 'retry' });
    expect(decideFailure(refused, { ...first, hasOther: false })).toMatchObject({ kind: 'fail', code: 'unavailable' });
    expect(decideFailure(refused, { tries: MAX_TRIES, leaseLost: false, hasOther: true })).toMatchObject({
      kind: 'fail',
    });
  });

  test('is not replaced if the request was refused by policy', () => {
    const policy = new ProviderError('content_policy', 'no');
    expect(decideFailure(policy, { ...first, hasOther: true })).toMatchObject({ kind: 'fail', code: 'content_policy' });
  });
});

test.each(['ENOSPC', 'EDQUOT'])('a full spool (%s) returns the job to the queue after a pause', (code) => {
  const full = Object.assign(new Error('no space left on device'), { code });
  expect(decideFailure(full, { tries: MAX_TRIES, leaseLost: false })).toEqual({ kind: 'abandon', delayMs: 5_000 });
});

describe('an error that cannot be recorded abandons the run', () => {
  test.each([
    ['a lost lease', busy, { tries: 1, leaseLost: true }],
    ['a lost lease after a fault of ours', new Error('x'), { tries: 9, leaseLost: true }],
    ['another worker', new Overtaken(), first],
    ['a database that is unavailable', away, first],
    ['a database that is unavailable at the last try', away, { tries: 9, leaseLost: false }],
    ['a refused connection', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), first],
    ['a cut connection', new Error('Connection terminated unexpectedly'), first],
  ])('%s', (_name, error, state) => {
    expect(decideFailure(error, state)).toEqual({ kind: 'abandon' });
  });
});
