import { createBudget, deleteBudget, listBudgets, updateBudget } from '../../../domain/budgets/budgets.ts';
import type { ConsoleRoutes } from '../console-handler.ts';

export const budgetRoutes: ConsoleRoutes<'listBudgets' | 'createBudget' | 'updateBudget' | 'deleteBudget'> = {
  listBudgets: (services, { accountId }) => listBudgets(services, accountId),

  createBudget: (services, { accountId, actor, body }) => createBudget(services, { accountId, actor, ...body }),

  updateBudget: (services, { accountId, actor, params: { budgetId }, body }) =>
    updateBudget(services, { accountId, budgetId, actor, ...body }),

  async deleteBudget(services, { accountId, actor, params: { budgetId } }) {
    await deleteBudget(services, { accountId, budgetId, actor });
    return { deletedId: budgetId };
  },
};
