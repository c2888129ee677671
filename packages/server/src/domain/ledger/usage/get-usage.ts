import { MAX_USAGE_DAYS, MAX_USAGE_GROUPS, type Usage, type UsageGroup } from '@atelier/contract/console';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { countNewUsage } from './count-usage.ts';
import { findUsage, type UsageRow } from './usage.store.ts';

const DAY_MS = 86_400_000;
/** Rows of one request: a row for each combination of day, model, key and project that was charged. */
const MAX_ROWS = 20_000;

/** What the account was charged in a period, by day, model, key and project. */
export async function getUsage(
  services: Pick<Services, 'db'>,
  { accountId, from, to }: { accountId: string; from: string; to: string },
): Promise<Usage> {
  checkPeriod({ from, to });
  const isCounted = await countNewUsage(services, accountId);
  const rows = await findUsage(services.db, {
    accountId,
    from,
    to,
    maxRows: MAX_ROWS + 1,
    maxGroups: MAX_USAGE_GROUPS,
  });
  const total = rows.find(({ kind }) => kind === 'total');
  const groups = (kind: UsageRow['kind']) => rows.filter((row) => row.kind === kind).map(showGroup);
  return {
    from,
    to,
    total: { coins: total?.coins ?? 0, generations: total?.generations ?? 0 },
    days: groups('day').map(({ id, coins, generations }) => ({ day: id as string, coins, generations })),
    models: groups('model'),
    keys: groups('key'),
    projects: groups('project'),
    isComplete: isCounted && (total?.rows ?? 0) <= MAX_ROWS,
  };
}

function showGroup({ id, name, coins, generations }: UsageRow): UsageGroup {
  return { id, name, coins, generations };
}

function checkPeriod({ from, to }: { from: string; to: string }): void {
  const days = (readDay('to', to) - readDay('from', from)) / DAY_MS + 1;
  if (days >= 1 && days <= MAX_USAGE_DAYS) return;
  throw new Problem('invalid_params', `The period must have 1 to ${MAX_USAGE_DAYS} days.`);
}

/** The schema accepts 2026-02-30; the calendar does not. */
function readDay(path: string, day: string): number {
  const atMs = Date.parse(`${day}T00:00:00.000Z`);
  if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== day) {
    throw new Problem('invalid_params', 'Invalid date.', {
      issues: [{ path, message: 'must be a day, as 2026-01-31' }],
    });
  }
  return atMs;
}
