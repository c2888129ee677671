import { type Budget, type BudgetList, MAX_BUDGETS } from '@atelier/contract/console';
import { withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { Problem } from '../../platform/problem.ts';
import { countNewUsage } from '../ledger/usage/count-usage.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import {
  deleteBudgetRow,
  deleteBudgetsOfAccount,
  findSpentBudgets,
  insertBudget,
  lockAndCountBudgets,
  type SpentBudget,
  updateBudgetRow,
} from './budgets.store.ts';
import { monthOf } from './judge-budget.ts';

type Needed = Pick<Services, 'db' | 'clock'>;

/** The budgets of an account, with what their projects were charged in this month. */
export async function listBudgets(services: Needed, accountId: string): Promise<BudgetList> {
  const isComplete = await countNewUsage(services, accountId);
  const month = monthOf(services.clock.now());
  const rows = await findSpentBudgets(services.db, { accountId, months: [month] });
  return { month: month.slice(0, 7), items: rows.map(showBudget), isComplete };
}

interface NewBudget {
  readonly accountId: string;
  readonly projectId: string | null;
  readonly coins: number;
  readonly alertPercents: readonly number[];
  readonly actor: string;
}

/** The audit log does not name the project: that is the customer's text. */
export async function createBudget(services: Needed, given: NewBudget): Promise<Budget> {
  const { accountId, projectId, coins, actor } = given;
  const alertPercents = inOrder(given.alertPercents);
  const id = newId();
  await withTx(services.db, async (tx) => {
    if ((await lockAndCountBudgets(tx, accountId)) >= MAX_BUDGETS) {
      throw new Problem('invalid_params', `An account has at most ${MAX_BUDGETS} budgets.`);
    }
    if (!(await insertBudget(tx, { accountId, id, projectId, coins, alertPercents }))) {
      throw new Problem('invalid_params', 'This project already has a budget. Change that one.', {
        issues: [{ path: 'projectId', message: 'must be a project without a budget' }],
      });
    }
    await recordAudit(tx, {
      actor,
      action: 'budget.created',
      accountId,
      detail: { budgetId: id, coins, alertPercents },
    });
  });
  return showOne(services, { accountId, budgetId: id });
}

interface BudgetChange {
  readonly accountId: string;
  readonly budgetId: string;
  readonly coins?: number;
  readonly alertPercents?: readonly number[];
  readonly actor: string;
}

/** Omitted settings stay. The changed budget reports again what it has reached. */
export async function updateBudget(services: Needed, change: BudgetChange): Promise<Budget> {
  const { accountId, budgetId, actor, coins = null } = change;
  const alertPercents = change.alertPercents === undefined ? null : inOrder(change.alertPercents);
  await withTx(services.db, async (tx) => {
    if (!(await updateBudgetRow(tx, { accountId, budgetId, coins, alertPercents }))) throw noSuchBudget();
    await recordAudit(tx, {
      actor,
      action: 'budget.updated',
      accountId,
      detail: { budgetId, ...(coins === null ? {} : { coins }), ...(alertPercents === null ? {} : { alertPercents }) },
    });
  });
  return showOne(services, { accountId, budgetId });
}

export async function deleteBudget(
  services: Pick<Services, 'db'>,
  { accountId, budgetId, actor }: { accountId: string; budgetId: string; actor: string },
): Promise<void> {
  await withTx(services.db, async (tx) => {
    if (!(await deleteBudgetRow(tx, { accountId, budgetId }))) throw noSuchBudget();
    await recordAudit(tx, { actor, action: 'budget.deleted', accountId, detail: { budgetId } });
  });
}

/** Removes the budgets of an erased account, which name its projects. */
export function forgetBudgets(services: Pick<Services, 'db'>, accountId: string): Promise<void> {
  return deleteBudgetsOfAccount(services.db, accountId);
}

async function showOne(services: Needed, key: { accountId: string; budgetId: string }): Promise<Budget> {
  const { items } = await listBudgets(services, key.accountId);
  const found = items.find(({ id }) => id === key.budgetId);
  // Deleted by someone else meanwhile.
  if (found === undefined) throw noSuchBudget();
  return found;
}

function showBudget(row: SpentBudget): Budget {
  const { id, projectId, coins, spentCoins } = row;
  return {
    id,
    projectId,
    coins,
    alertPercents: [...row.alertPercents],
    spentCoins,
    alertedPercent: row.alertedMonth === row.month ? row.alertedPercent : null,
    createdAt: row.createdAt.toISOString(),
  };
}

const inOrder = (percents: readonly number[]) => [...percents].sort((one, other) => one - other);

const noSuchBudget = () => new Problem('not_found', 'There is no such budget.');
