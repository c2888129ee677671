import type { SpentBudget } from './budgets.store.ts';

const DAY_MS = 86_400_000;

/** First day of the month of a moment, UTC. */
export function monthOf(at: Date): string {
  return `${at.toISOString().slice(0, 7)}-01`;
}

/**
 * The months to compare, the oldest first. The previous one for a day after its end: what was charged in its last minutes may be
 * counted later.
 */
export function monthsToJudge(now: Date): string[] {
  const [before, current] = [monthOf(new Date(now.getTime() - DAY_MS)), monthOf(now)];
  return before === current ? [current] : [before, current];
}

/** The largest share that was reached and not reported, in percent; null if there is none. */
export function judgeBudget(budget: SpentBudget): number | null {
  // A budget says nothing about the months before it was set.
  if (budget.changedAt.slice(0, 7) > budget.month.slice(0, 7)) return null;
  // Multiplied, not divided: whole numbers compare exactly.
  const reached = budget.alertPercents.filter((percent) => budget.spentCoins * 100 >= budget.coins * percent);
  if (reached.length === 0) return null;
  const percent = Math.max(...reached);
  const { alertedMonth, alertedPercent } = budget;
  const isReported =
    alertedMonth !== null &&
    (alertedMonth > budget.month || (alertedMonth === budget.month && (alertedPercent ?? 0) >= percent));
  return isReported ? null : percent;
}
