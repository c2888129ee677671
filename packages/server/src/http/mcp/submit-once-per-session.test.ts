import { IDEMPOTENCY_KEY_PATTERN } from '@atelier/contract';
import { expect, test } from 'vitest';
import type { Caller } from '../../domain/accounts/caller.ts';
import { createPathServices } from '../../domain/generations/testing/create-path-services.ts';
import { openDay, readBudget } from './session.ts';
import { deriveKey } from './submit-once-per-session.ts';

test('a derived key is valid, and each part of it changes it', () => {
  const keys = [
    deriveKey(['session', 'quote', 1, null]),
    deriveKey(['other', 'quote', 1, null]),
    deriveKey(['session', 'other', 1, null]),
    deriveKey(['session', 'quote', 2, null]),
    deriveKey(['session', 'quote', 1, 'generation']),
  ];
  for (const key of keys) expect(key).toMatch(new RegExp(IDEMPOTENCY_KEY_PATTERN));
  expect(new Set(keys).size).toBe(keys.length);
  expect(deriveKey(['session', 'quote', 1, null])).toBe(keys[0]);
});

const services = createPathServices(undefined as never);
const session = { id: 'a', budgetId: 'session a' };

test('the requests of a key without a session share a budget on one UTC day, and quotes forever', () => {
  const today = openDay(services, { keyId: 'key' } as Caller);
  services.state.offsetMs = 24 * 3600 * 1000;
  const tomorrow = openDay(services, { keyId: 'key' } as Caller);
  expect(tomorrow.id).toBe(today.id);
  expect(tomorrow.budgetId).not.toBe(today.budgetId);
  expect(openDay(services, { keyId: 'other' } as Caller).id).not.toBe(today.id);
});

test.each([
  [50, undefined, 50],
  [50, '20', 20],
  [50, '80', 50],
  [0, '80', 80],
  [0, undefined, undefined],
])('a budget of the operator of %s and of the client of %s give %s', (operator, client, coins) => {
  const headers = client === undefined ? {} : { 'x-session-max-coins': client };
  expect(readBudget(session, headers, operator)?.coins).toBe(coins);
});

test.each(['0', '-1', '1.5', 'many', ''])('a budget of %j is refused', (text) => {
  expect(() => readBudget(session, { 'x-session-max-coins': text }, 50)).toThrow(/X-Session-Max-Coins/);
});
