import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable, Positive } from '../building-blocks.ts';
import { PROJECT_ID_MAX_LENGTH } from '../generation.ts';
import { UUID_PATTERN } from '../vocabulary.ts';

/** Budgets of one account. */
export const MAX_BUDGETS = 100;
export const MAX_BUDGET_ALERTS = 5;
/** In percent of the budget. More than 100 tells how far it is exceeded. */
export const MAX_ALERT_PERCENT = 200;
const MAX_BUDGET_COINS = 1_000_000_000_000;

const Id = Type.String({ pattern: UUID_PATTERN });
const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', description: 'The month, UTC, as 2026-01.' });
const Coins = Type.Integer({ minimum: 1, maximum: MAX_BUDGET_COINS, description: 'Coins of one month, UTC.' });
const AlertPercents = Type.Array(Type.Integer({ minimum: 1, maximum: MAX_ALERT_PERCENT }), {
  minItems: 1,
  maxItems: MAX_BUDGET_ALERTS,
  uniqueItems: true,
  description: 'The shares of the budget, in percent, that are reported when they are reached.',
});

/** What a project may cost in a month before people are told. It refuses nothing: the cap of a key does. */
export const Budget = Type.Object({
  id: Id,
  projectId: Nullable(Type.String({ description: 'Null: generations without a project.' })),
  coins: Coins,
  alertPercents: AlertPercents,
  spentCoins: Natural('Coins charged in this month.'),
  alertedPercent: Nullable(Positive('The largest share that was reported in this month; null if none was.')),
  createdAt: DateTime(),
});
export type Budget = Static<typeof Budget>;

export const BudgetList = Type.Object({
  month: Month,
  items: Type.Array(Budget, { description: `By project. An account has at most ${MAX_BUDGETS}.` }),
  isComplete: Type.Boolean({ description: 'False: older charges are still being counted. Ask again.' }),
});
export type BudgetList = Static<typeof BudgetList>;

export const CreateBudgetBody = Type.Object(
  {
    projectId: Nullable(Type.String({ minLength: 1, maxLength: PROJECT_ID_MAX_LENGTH })),
    coins: Coins,
    alertPercents: AlertPercents,
  },
  Closed,
);

export const UpdateBudgetBody = Type.Object(
  { coins: Type.Optional(Coins), alertPercents: Type.Optional(AlertPercents) },
  { ...Closed, minProperties: 1, description: 'Omitted settings stay. A changed budget is reported again.' },
);

/** The body of `budget.reached`. */
export const BudgetReached = Type.Object({
  id: Type.String({ minLength: 1, description: 'The same on every retry. Use it to deduplicate.' }),
  type: Type.Literal('budget.reached'),
  createdAt: DateTime(),
  test: Type.Optional(Type.Literal(true, { description: 'Present only on a test event. The budget does not exist.' })),
  data: Type.Object({
    budget: Type.Object({
      id: Id,
      projectId: Nullable(Type.String()),
      month: Month,
      coins: Coins,
      spentCoins: Natural('Coins charged in the month when the share was reached.'),
      percent: Positive('The largest share that was reached, in percent.'),
    }),
  }),
});
export type BudgetReached = Static<typeof BudgetReached>;
