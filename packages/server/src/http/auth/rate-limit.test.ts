import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Caller } from '../../domain/accounts/caller.ts';
import { createLocalLimiter, WINDOW_SECONDS } from './rate-limit.ts';

const callerOf = (limits: { keyId?: string; accountId?: string; key?: number; account?: number } = {}): Caller => ({
  accountId: limits.accountId ?? 'account',
  mode: 'test',
  locked: false,
  keyId: limits.keyId ?? 'key',
  scopes: [],
  channel: 'api',
  keyRateLimit: limits.key ?? 3,
  accountRateLimit: limits.account ?? 5,
  requestCap: null,
});

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

describe('the local limiter', () => {
  test('allows exactly the limit', () => {
    const take = createLocalLimiter();
    const verdicts = Array.from({ length: 6 }, () => take(callerOf()));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false, false]);
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0, 0]);
    expect(verdicts[0]).toMatchObject({ limit: 3, resetSeconds: WINDOW_SECONDS });
  });

  test('keys of one account share its window, and the tighter one is reported', () => {
    const take = createLocalLimiter();
    const verdicts = ['a', 'a', 'b', 'b', 'b', 'c'].map((keyId) => take(callerOf({ keyId })));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false]);
    expect(verdicts.map(({ limit, remaining }) => `${remaining} of ${limit}`)).toEqual([
      '2 of 3',
      '1 of 3',
      '2 of 3',
      '1 of 3',
      '0 of 3',
      '0 of 5',
    ]);
  });

  test('a refused request counts in neither window', () => {
    const take = createLocalLimiter();
    for (let n = 0; n < 10; n += 1) take(callerOf({ keyId: 'a', key: 1 }));
    const others = Array.from({ length: 4 }, () => take(callerOf({ keyId: 'b', key: 10 })));
    expect(others.every(({ allowed }) => allowed)).toBe(true);
  });

  test('accounts do not affect each other', () => {
    const take = createLocalLimiter();
    for (let n = 0; n < 10; n += 1) take(callerOf());
    expect(take(callerOf({ accountId: 'other', keyId: 'other' })).allowed).toBe(true);
  });

  test('the window is fixed: it ends a minute after its first request, and the reset counts down to that', () => {
    const take = createLocalLimiter();
    take(callerOf());
    vi.advanceTimersByTime(59_500);
    expect(take(callerOf()).resetSeconds).toBe(1);
    take(callerOf());
    expect(take(callerOf()).allowed).toBe(false);
    vi.advanceTimersByTime(500);
    expect(take(callerOf())).toMatchObject({ allowed: true, remaining: 2, resetSeconds: WINDOW_SECONDS });
  });

  test('when both windows are used up the later reset is reported', () => {
    const take = createLocalLimiter();
    take(callerOf({ keyId: 'a', key: 1, account: 2 }));
    vi.advanceTimersByTime(30_000);
    // The window of key b begins now, 30 seconds after that of the account; both are used up.
    expect(take(callerOf({ keyId: 'b', key: 1, account: 2 })).allowed).toBe(true);
    const verdict = take(callerOf({ keyId: 'b', key: 1, account: 2 }));
    expect(verdict).toEqual({ allowed: false, limit: 1, remaining: 0, resetSeconds: WINDOW_SECONDS });
    vi.advanceTimersByTime(31_000);
    // The account's window has restarted, later than that of the key.
    expect(take(callerOf({ keyId: 'c', key: 1, account: 1 })).allowed).toBe(true);
    expect(take(callerOf({ keyId: 'b', key: 1, account: 1 }))).toEqual({
      allowed: false,
      limit: 1,
      remaining: 0,
      resetSeconds: WINDOW_SECONDS,
    });
  });

  test('holds a bounded number of windows', () => {
    const take = createLocalLimiter();
    for (let n = 0; n < 200_000; n += 1) take(callerOf({ keyId: `key-${n}`, accountId: `account-${n}` }));
    expect(take(callerOf({ keyId: 'key-0', accountId: 'account-0' })).remaining, 'the oldest are gone').toBe(2);
    expect(take(callerOf({ keyId: 'key-199999', accountId: 'account-199999' })).remaining, 'the newest are kept').toBe(
      1,
    );
  });
});
