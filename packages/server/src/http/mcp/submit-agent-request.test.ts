import { IDEMPOTENCY_KEY_PATTERN } from '@atelier/contract';
import { expect, test } from 'vitest';
import { outcomeUnknown } from '../../domain/generations/submit/submit-once.ts';
import { createPathServices } from '../../domain/generations/testing/create-path-services.ts';
import { Problem } from '../../platform/problem.ts';
import { readBudget } from './daily-budget.ts';
import { deriveKey, explain } from './submit-agent-request.ts';
import { renderProblem } from './tool-result.ts';

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

test('an agent that must ask again is not told about headers', () => {
  const texts = [
    outcomeUnknown(new Error('gone')),
    new Problem('idempotency_conflict', 'This Idempotency-Key was used.'),
  ]
    .map((given) => {
      try {
        return explain(given, {});
      } catch (error) {
        return renderProblem(error as Problem).content[0];
      }
    })
    .map((content) => (content as { text: string }).text);
  expect(texts[0]).toContain('Call the tool again with the same input: nothing is charged twice.');
  expect(texts[1]).toContain('- label must be a text that was not used for this request before');
  for (const text of texts) expect(text).not.toMatch(/header|idempotency/i);
});
