import type { UsageGroup, UsageOfDay } from '@atelier/contract/console';

/** The coins of each day of a period. The server leaves out days without a charge. */
export function fillDays(days: readonly string[], used: readonly UsageOfDay[]): UsageOfDay[] {
  const byDay = new Map(used.map((each) => [each.day, each]));
  return days.map((day) => byDay.get(day) ?? { day, coins: 0, generations: 0 });
}

/** A round number at or above the largest value, for the top of a chart. */
export function roundUp(value: number): number {
  if (value <= 10) return Math.max(value, 1);
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= value) ?? 10;
  return step * power;
}

/** What the largest groups leave of the total. Null if they are everything. */
export function restOf(
  total: { readonly coins: number; readonly generations: number },
  groups: readonly UsageGroup[],
): { coins: number; generations: number } | null {
  const coins = groups.reduce((sum, group) => sum - group.coins, total.coins);
  const generations = groups.reduce((sum, group) => sum - group.generations, total.generations);
  return coins > 0 ? { coins, generations } : null;
}
