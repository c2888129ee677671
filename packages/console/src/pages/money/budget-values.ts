import { type Budget, MAX_ALERT_PERCENT, MAX_BUDGET_ALERTS } from '@atelier/contract/console';
import { readCoins } from '../../parts/read-coins.ts';

/** A budget as its form holds it: text, until it is checked. */
export interface BudgetValues {
  readonly scope: 'project' | 'none';
  readonly project: string;
  readonly coins: string;
  readonly alerts: string;
}

export const EMPTY_BUDGET: BudgetValues = { scope: 'project', project: '', coins: '', alerts: '50, 80, 100' };

export const valuesOf = (budget: Budget): BudgetValues => ({
  scope: budget.projectId === null ? 'none' : 'project',
  project: budget.projectId ?? '',
  coins: String(budget.coins),
  alerts: budget.alertPercents.join(', '),
});

export type BudgetMistake = 'needProject' | 'badCoins' | 'badAlerts';
export interface BudgetMistakes {
  project?: BudgetMistake;
  coins?: BudgetMistake;
  alerts?: BudgetMistake;
}

export interface BudgetBody {
  projectId: string | null;
  coins: number;
  alertPercents: number[];
}

/** The body of the request, or what is wrong. */
export function readBudgetValues(values: BudgetValues): { body: BudgetBody } | { mistakes: BudgetMistakes } {
  const project = values.project.trim();
  const coins = readCoins(values.coins) ?? null;
  const words = values.alerts.split(/[\s,;%]+/).filter((word) => word !== '');
  const alertPercents = [...new Set(words.map(Number))].sort((one, other) => one - other);
  const isPercent = (percent: number) => Number.isInteger(percent) && percent >= 1 && percent <= MAX_ALERT_PERCENT;
  const areAlerts =
    alertPercents.length >= 1 && alertPercents.length <= MAX_BUDGET_ALERTS && alertPercents.every(isPercent);
  const mistakes: BudgetMistakes = {
    ...(values.scope === 'project' && project === '' ? { project: 'needProject' as const } : {}),
    ...(coins === null ? { coins: 'badCoins' as const } : {}),
    ...(areAlerts ? {} : { alerts: 'badAlerts' as const }),
  };
  if (coins === null || Object.keys(mistakes).length > 0) return { mistakes };
  return { body: { projectId: values.scope === 'none' ? null : project, coins, alertPercents } };
}
