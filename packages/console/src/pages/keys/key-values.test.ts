import { expect, test } from 'vitest';
import { EMPTY_KEY, readKeyValues } from './key-values.ts';

const NOW = Date.parse('2026-11-14T18:45:00.000Z');

test('a complete form becomes a body; the key expires at the end of its day', () => {
  const values = {
    name: ' Server ',
    scopes: ['read'] as const,
    cap: '2,000',
    requestCap: '40',
    expiresOn: '2026-11-14',
  };
  expect(readKeyValues(values, NOW)).toEqual({
    body: {
      name: 'Server',
      scopes: ['read'],
      monthlySpendCapCoins: 2000,
      requestCapCoins: 40,
      expiresAt: '2026-11-14T23:59:59.000Z',
    },
  });
});

test('no cap and no expiry are null', () => {
  expect(readKeyValues({ ...EMPTY_KEY, name: 'Server' }, NOW)).toMatchObject({
    body: { monthlySpendCapCoins: null, requestCapCoins: null, expiresAt: null },
  });
});

test.each([
  ['a name of spaces', { name: '  ' }, { name: 'needName' }],
  ['no scope', { scopes: [] }, { scopes: 'needScope' }],
  ['a cap of zero', { cap: '0' }, { cap: 'badCap' }],
  ['a cap in words', { cap: 'many' }, { cap: 'badCap' }],
  ['a cap per request of zero', { requestCap: '0' }, { requestCap: 'badCap' }],
  ['a day in the past', { expiresOn: '2026-11-13' }, { expiresOn: 'badDay' }],
])('refuses %s', (_name, change, mistakes) => {
  expect(readKeyValues({ ...EMPTY_KEY, name: 'Server', ...change }, NOW)).toEqual({ mistakes });
});
