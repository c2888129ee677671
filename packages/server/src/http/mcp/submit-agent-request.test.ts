import { IDEMPOTENCY_KEY_PATTERN } from '@atelier/contract';
import { expect, test } from 'vitest';
import { createPathServices } from '../../domain/generations/testing/create-path-services.ts';
import { readBudget } from './daily-budget.ts';
import { deriveKey } from './submit-agent-request.ts';

test('a derived key is valid, and each part of it changes it', () => {
  const keys = [
    deriveKey(['key', 'quote', '', null]),
    deriveKey(['other', 'quote', '', null]),
    deriveKey(['key', 'other', '', null]),
    deriveKey(['key', 'quote', 'label', null]),
    deriveKey(['key', 'quote', '', 'generation']),
  ];
  for (const key of keys) expect(key).toMatch(new RegExp(IDEMPOTENCY_KEY_PATTERN));
  expect(new Set(keys).size).toBe(keys.length);
  expect(deriveKey(['key', 'quote', '', null])).toBe(keys[0]);
});

const services = createPathServices(undefined as never);
const caller = { keyId: 'key' };

test.each([
  [50, undefined, 50],
  [50, '20', 20],
  [50, '80', 50],
  [0, '80', 80],
  [0, undefined, undefined],
])('a budget of the operator of %s and of the client of %s give %s', (operatorCoins, client, coins) => {
  const headers = client === undefined ? {} : { 'x-daily-max-coins': client };
  expect(readBudget(services, caller, { headers, operatorCoins })?.coins).toBe(coins);
});

test.each(['0', '-1', '1.5', 'many', ''])('a budget of %j is refused', (text) => {
  const headers = { 'x-daily-max-coins': text };
  expect(() => readBudget(services, caller, { headers, operatorCoins: 50 })).toThrow(/X-Daily-Max-Coins/);
});
