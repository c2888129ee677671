import { expect, test } from 'vitest';
import { EMPTY_BUDGET, readBudgetValues, valuesOf } from './budget-values.ts';

const VALUES = { ...EMPTY_BUDGET, project: 'spring', coins: '20,000' };

test('a complete form becomes a body; shares are in order, each once', () => {
  expect(readBudgetValues({ ...VALUES, project: ' spring ', alerts: '100%, 80 50;80' })).toEqual({
    body: { projectId: 'spring', coins: 20_000, alertPercents: [50, 80, 100] },
  });
});

test('without a project the field of the project does not matter', () => {
  expect(readBudgetValues({ ...VALUES, scope: 'none', project: '' })).toMatchObject({ body: { projectId: null } });
});

test('a budget becomes the values of its form and back', () => {
  const budget = { projectId: 'spring', coins: 300, alertPercents: [50, 150] };
  const shown = { id: 'b1', spentCoins: 0, alertedPercent: null, createdAt: '2026-01-02T08:00:00.000Z', ...budget };
  expect(readBudgetValues(valuesOf(shown))).toEqual({ body: budget });
  expect(readBudgetValues(valuesOf({ ...shown, projectId: null }))).toEqual({ body: { ...budget, projectId: null } });
});

test.each([
  ['no project', { project: ' ' }, { project: 'needProject' }],
  ['no coins', { coins: '' }, { coins: 'badCoins' }],
  ['coins in words', { coins: 'many' }, { coins: 'badCoins' }],
  ['no share', { alerts: ' ' }, { alerts: 'badAlerts' }],
  ['a share of zero', { alerts: '0, 50' }, { alerts: 'badAlerts' }],
  ['a share above 200', { alerts: '201' }, { alerts: 'badAlerts' }],
  ['a share in words', { alerts: 'half' }, { alerts: 'badAlerts' }],
  ['six shares', { alerts: '10 20 30 40 50 60' }, { alerts: 'badAlerts' }],
])('refuses %s', (_name, change, mistakes) => {
  expect(readBudgetValues({ ...VALUES, ...change })).toEqual({ mistakes });
});
