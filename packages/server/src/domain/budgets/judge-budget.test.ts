import { expect, test } from 'vitest';
import type { SpentBudget } from './budgets.store.ts';
import { judgeBudget, monthOf, monthsToJudge } from './judge-budget.ts';

const budget: SpentBudget = {
  id: 'b1',
  projectId: 'spring',
  coins: 1_000,
  alertPercents: [50, 80, 100],
  alertedMonth: null,
  alertedPercent: null,
  createdAt: new Date('2026-01-02T08:00:00.000Z'),
  changedAt: '2026-01-02 08:00:00.123456+00',
  month: '2026-03-01',
  spentCoins: 0,
  transferId: 7,
};

test.each([
  [0, null],
  [499, null],
  [500, 50],
  [799, 50],
  [800, 80],
  [1_000, 100],
  [5_000, 100],
])('%i of 1,000 coins reach the share %s', (spentCoins, percent) => {
  expect(judgeBudget({ ...budget, spentCoins })).toBe(percent);
});

test.each([
  ['2026-03-01', 50, 80],
  ['2026-03-01', 80, null],
  ['2026-03-01', 100, null],
  ['2026-02-01', 100, 80],
  ['2026-04-01', 50, null],
])('after the alert of %s at %i percent, 80 percent are reported as %s', (alertedMonth, alertedPercent, percent) => {
  expect(judgeBudget({ ...budget, spentCoins: 800, alertedMonth, alertedPercent })).toBe(percent);
});

test('shares compare exactly, whatever their order', () => {
  expect(judgeBudget({ ...budget, coins: 3, alertPercents: [67, 33], spentCoins: 1 })).toBe(33);
  expect(judgeBudget({ ...budget, coins: 3, alertPercents: [67, 33], spentCoins: 2 })).toBe(33);
  expect(judgeBudget({ ...budget, coins: 1_000_000_000_000, alertPercents: [7], spentCoins: 69_999_999_999 })).toBe(
    null,
  );
  expect(judgeBudget({ ...budget, coins: 1_000_000_000_000, alertPercents: [7], spentCoins: 70_000_000_000 })).toBe(7);
});

test('a budget says nothing about the months before it was set', () => {
  expect(judgeBudget({ ...budget, spentCoins: 900, changedAt: '2026-04-01 00:00:00+00' })).toBe(null);
  expect(judgeBudget({ ...budget, spentCoins: 900, changedAt: '2026-03-31 23:59:59+00' })).toBe(80);
});

test.each([
  ['2026-03-01T00:00:00.000Z', ['2026-02-01', '2026-03-01']],
  ['2026-03-01T23:59:59.999Z', ['2026-02-01', '2026-03-01']],
  ['2026-03-02T00:00:00.000Z', ['2026-03-01']],
  ['2026-03-31T23:59:59.999Z', ['2026-03-01']],
  ['2027-01-01T12:00:00.000Z', ['2026-12-01', '2027-01-01']],
])('at %s the months are %j', (now, months) => {
  expect(monthsToJudge(new Date(now))).toEqual(months);
  expect(monthOf(new Date(now))).toBe(months.at(-1));
});
