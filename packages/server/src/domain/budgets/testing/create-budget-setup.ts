import type { Role } from '@atelier/contract/console';
import { type Db, withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import type { Payloads } from '../../../queue/queues.ts';
import { createAccountPair } from '../../accounts/create-account-pair.ts';
import { createMoneyPath } from '../../generations/testing/create-money-path.ts';
import { createPathServices } from '../../generations/testing/create-path-services.ts';
import { alertBudgets } from '../alert-budgets.ts';
import { createBudget } from '../budgets.ts';

const DEFAULTS = {
  coins: 100_000,
  testCoins: 100,
  runLimit: 100,
  raisedLimit: null,
  rateLimit: 300,
  keyRateLimit: 120,
};

export interface BudgetAccount {
  readonly accountId: string;
  readonly pairId: string;
}

/** Accounts with members, charges of their projects, and the alerts that follow. A generation of one output costs 7 coins. */
export function createBudgetSetup(database: { db: Db; owner: Db }) {
  const { db } = database;
  const path = createMoneyPath(database);
  const services = { ...createPathServices(db), log: createLog({ level: 'silent' }) };

  return {
    path,
    services,
    async addAccount(): Promise<BudgetAccount> {
      const { accountId, ownerId } = await withTx(db, (tx) =>
        createAccountPair(tx, { name: 'Northlight', actor: 'test', defaults: DEFAULTS }),
      );
      return { accountId, pairId: ownerId };
    },
    async addMember({ pairId }: BudgetAccount, role: Role, { verified = true } = {}): Promise<string> {
      const personId = newId();
      await path.read('INSERT INTO person (id, name, email, email_verified) VALUES ($1, $2, $3, $4)', [
        personId,
        role,
        `${personId}@example.com`,
        verified,
      ]);
      await path.read('INSERT INTO membership (person_id, pair_id, role) VALUES ($1, $2, $3)', [
        personId,
        pairId,
        role,
      ]);
      return personId;
    },
    add: (
      { accountId }: BudgetAccount,
      given: { projectId?: string | null; coins: number; alertPercents?: number[] },
    ) =>
      createBudget(services, { accountId, projectId: 'spring', alertPercents: [50, 80, 100], actor: 'test', ...given }),
    async charge({ accountId }: BudgetAccount, outputs: number, projectId: string | null = 'spring'): Promise<void> {
      // Without a key, as from the console.
      const given = { keyId: null, channel: 'web' as const, outputs, projectId };
      await path.finish(await path.begin({ accountId, keyId: '' }, given), { outputs });
    },
    sweep: () => alertBudgets(services, new AbortController().signal),
    /** The mails that wait for a worker, in the order of their shares. */
    async mailsOf({ accountId }: BudgetAccount): Promise<Payloads['mail-budget-alert'][]> {
      const rows = await path.read<{ data: Payloads['mail-budget-alert'] }>(
        `SELECT data FROM pgboss.job WHERE name = 'mail-budget-alert' AND data ->> 'accountId' = $1
         ORDER BY (data ->> 'percent')::int, data ->> 'month', data ->> 'personId'`,
        [accountId],
      );
      return rows.map(({ data }) => data);
    },
    deliveriesOf: ({ accountId }: BudgetAccount) =>
      path.read<{ endpointId: string; status: string; percent: number }>(
        `SELECT endpoint_id AS "endpointId", status, (notice #> '{data,budget,percent}')::int AS percent
         FROM delivery WHERE account_id = $1 AND notice IS NOT NULL ORDER BY created_at, endpoint_id`,
        [accountId],
      ),
  };
}
