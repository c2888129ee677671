import type { BudgetReached } from '@atelier/contract/console';
import { withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { errorFields } from '../../platform/log.ts';
import { enqueue } from '../../queue/enqueue.ts';
import { countNewUsage } from '../ledger/usage/count-usage.ts';
import { listPayers } from '../people/memberships.ts';
import type { Services } from '../services.ts';
import { sendNotice } from '../webhooks/deliveries/send-notice.ts';
import { claimAlert, findDueAccounts, findSpentBudgets, markChecked, type SpentBudget } from './budgets.store.ts';
import { judgeBudget, monthsToJudge } from './judge-budget.ts';

/** Of one sweep. The next one begins with the accounts that waited longest. */
const MAX_ACCOUNTS = 1_000;

type Needed = Pick<Services, 'db' | 'clock' | 'log' | 'wake'>;

/** Compares the budgets of all accounts with new transfers, and reports the shares that they reached. Returns the alerts sent. */
export async function alertBudgets(services: Needed, signal: AbortSignal): Promise<number> {
  let sent = 0;
  for (const accountId of await findDueAccounts(services.db, MAX_ACCOUNTS)) {
    if (signal.aborted) break;
    try {
      sent += await alertAccount(services, accountId);
    } catch (error) {
      // The others must not wait for this one; it stays due.
      services.log.error('budgets of an account not checked', { accountId, ...errorFields(error) });
    }
  }
  return sent;
}

/** Off the path of submits and settlements: it counts usage as the console does, and locks only rows of budgets. */
async function alertAccount(services: Needed, accountId: string): Promise<number> {
  await countNewUsage(services, accountId);
  const budgets = await findSpentBudgets(services.db, { accountId, months: monthsToJudge(services.clock.now()) });
  let sent = 0;
  for (const budget of budgets) {
    const percent = judgeBudget(budget);
    if (percent !== null && (await sendAlert(services, { accountId, budget, percent }))) sent += 1;
  }
  // After the alerts: if the process ends before this, the budgets stay due, and the alerts that were sent are known.
  const [first] = budgets;
  if (first !== undefined) await markChecked(services.db, { accountId, budgets, transferId: first.transferId });
  return sent;
}

/**
 * One transaction records the alert, the jobs of its mails and its deliveries. So none is sent twice, and none is lost if the process
 * ends: the queue sends what was committed, and the next sweep does what was not.
 */
async function sendAlert(
  services: Needed,
  { accountId, budget, percent }: { accountId: string; budget: SpentBudget; percent: number },
): Promise<boolean> {
  const { id: budgetId, changedAt, projectId, coins, spentCoins } = budget;
  const month = budget.month.slice(0, 7);
  const isClaimed = await withTx(services.db, async (tx) => {
    if (!(await claimAlert(tx, { accountId, budgetId, changedAt, month: budget.month, percent }))) return false;
    for (const { personId } of await listPayers(tx, accountId)) {
      const payload = { accountId, budgetId, personId, month, percent, coins, spentCoins };
      await enqueue(tx, { queue: 'mail-budget-alert', payload });
    }
    const event: BudgetReached = {
      id: newId(),
      type: 'budget.reached',
      createdAt: services.clock.now().toISOString(),
      data: { budget: { id: budgetId, projectId, month, coins, spentCoins, percent } },
    };
    await sendNotice(tx, { accountId, event });
    return true;
  });
  if (isClaimed) services.wake(['mail-budget-alert', 'deliver-webhook']);
  return isClaimed;
}
