import { createInterface } from 'node:readline/promises';
import { createAccountPair } from '../../domain/accounts/create-account-pair.ts';
import { listAccounts } from '../../domain/accounts/list-accounts.ts';
import { lockAccount } from '../../domain/accounts/lock-account.ts';
import { setStorageQuota } from '../../domain/assets/uploads/storage-quota.ts';
import { exportAccount } from '../../domain/exports/export-account.ts';
import { setAccountLimits } from '../../domain/generations/set-account-limits.ts';
import { adjustCoins } from '../../domain/ledger/adjust-coins.ts';
import { grantCoins } from '../../domain/ledger/grant-coins.ts';
import { requireOwnReference } from '../../domain/ledger/move-once.ts';
import { withTx } from '../../platform/db.ts';
import { createObjectStore } from '../../platform/object-store/create-object-store.ts';
import { Problem } from '../../platform/problem.ts';
import { createWake } from '../../queue/wake.ts';
import { eraseAccount } from './erase-account.ts';
import { createExportFolder } from './export-folder.ts';
import {
  given,
  MAX_COINS,
  MAX_LIMIT,
  need,
  needId,
  needInteger,
  needIntegerOrNone,
  type OperatorCommand,
  type OperatorContext,
  UsageError,
} from './operator-command.ts';

const BYTES_PER_MB = 1024 * 1024;
/** A petabyte. */
const MAX_QUOTA_MB = 1_000_000_000;
/** As long as most generations run at most. */
const DEFAULT_WAIT_SECONDS = 900;
const MAX_WAIT_SECONDS = 86_400;
const account = { 'account!': 'id of the account' };
const movement = {
  'reason!': 'the reason; kept permanently',
  reference: 'your own reference; repeating it has no effect',
};
const LIMIT_RANGE = { minimum: 1, maximum: MAX_LIMIT };

export const accountCommands: Readonly<Record<string, OperatorCommand>> = {
  create: {
    summary: 'creates the live and the test account of a new owner',
    options: { 'name!': 'display name', coins: 'coins of the live account (default ACCOUNT_COINS)' },
    run: (context) =>
      withTx(context.db, (tx) => {
        const { accountDefaults } = context.config;
        const coins = given(context, 'coins', () => needInteger(context, 'coins', { minimum: 0, maximum: MAX_COINS }));
        return createAccountPair(tx, {
          name: need(context, 'name'),
          actor: context.actor,
          defaults: { ...accountDefaults, coins: coins ?? accountDefaults.coins },
        });
      }),
  },
  list: { summary: 'lists accounts with their balances', options: {}, run: (context) => listAccounts(context) },
  grant: {
    summary: 'grants coins to an account',
    options: { ...account, 'coins!': 'how many', ...movement },
    run: (context) => moveCoins(context, grantCoins, 1),
  },
  adjust: {
    summary: 'corrects a balance in either direction',
    options: { ...account, 'coins!': 'how many; --coins=-5 subtracts', ...movement },
    run: (context) => moveCoins(context, adjustCoins, -MAX_COINS),
  },
  lock: {
    summary: 'refuses quotes, submits and uploads of an account',
    options: { ...account, 'reason!': 'why' },
    run: (context) => setLock(context, true),
  },
  unlock: {
    summary: 'unlocks an account',
    options: { ...account, 'reason!': 'why' },
    run: (context) => setLock(context, false),
  },
  limit: {
    summary: 'sets the limits of an account; options not given stay unchanged',
    options: {
      ...account,
      running: 'concurrent generations',
      raised: 'the limit it could be raised to, shown as raisedLimit; none for no such limit',
      rate: 'requests per 60 seconds',
    },
    run(context) {
      const limits = {
        runLimit: given(context, 'running', () => needInteger(context, 'running', LIMIT_RANGE)),
        raisedLimit: given(context, 'raised', () => needIntegerOrNone(context, 'raised', LIMIT_RANGE)),
        rateLimit: given(context, 'rate', () => needInteger(context, 'rate', LIMIT_RANGE)),
      };
      const changes = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
      if (Object.keys(changes).length === 0) throw new UsageError('--running, --raised or --rate is required');
      return setAccountLimits(
        { db: context.db, wake: createWake(context.db) },
        { accountId: needId(context, 'account'), actor: context.actor, ...changes },
      );
    },
  },
  quota: {
    summary: 'sets the storage quota for uploads of an account',
    options: { ...account, 'megabytes!': 'the quota; 0 for STORAGE_QUOTA_MB' },
    async run(context) {
      const accountId = needId(context, 'account');
      const megabytes = needInteger(context, 'megabytes', { minimum: 0, maximum: MAX_QUOTA_MB });
      const bytes = megabytes === 0 ? null : megabytes * BYTES_PER_MB;
      await withTx(context.db, (tx) => setStorageQuota(tx, { accountId, bytes, actor: context.actor }));
      return { accountId, megabytes };
    },
  },
  export: {
    summary: 'writes everything that an account owns into a new folder, as JSON lines and files',
    options: { ...account, 'to!': 'the folder; it must not exist' },
    async run(context) {
      const accountId = needId(context, 'account');
      const folder = await createExportFolder(need(context, 'to'));
      const store = createObjectStore(context.config.objectStore);
      try {
        const report = await exportAccount({ db: context.db, store }, { accountId, sink: folder });
        await folder.finish(report);
        return { ...report, rows: Object.values(report.rows).reduce((sum, count) => sum + count, 0) };
      } catch (error) {
        await folder.discard();
        throw error;
      } finally {
        await store.close();
      }
    },
  },
  erase: {
    summary: 'permanently erases the content and files of an account; coins and ledger rows stay',
    options: {
      ...account,
      wait: `seconds to wait for running generations (default ${DEFAULT_WAIT_SECONDS})`,
      'yes?': 'skips the confirmation',
    },
    async run(context) {
      const accountId = needId(context, 'account');
      const range = { minimum: 0, maximum: MAX_WAIT_SECONDS };
      const seconds = given(context, 'wait', () => needInteger(context, 'wait', range)) ?? DEFAULT_WAIT_SECONDS;
      await confirm(context, accountId);
      const store = createObjectStore(context.config.objectStore);
      try {
        const services = { db: context.db, wake: createWake(context.db), store };
        const { live, ...erased } = await eraseAccount(services, {
          accountId,
          actor: context.actor,
          waitMs: seconds * 1000,
        });
        // A failure, so that a script does not take the erasure for complete.
        if (live > 0) {
          throw new Problem(
            'not_cancelable',
            `Not complete: generations still run: ${live}. Repeat it when they have ended.`,
          );
        }
        return erased;
      } finally {
        await store.close();
      }
    },
  },
};

/** An erasure cannot be undone, so a person types the id again, and a script says --yes. */
async function confirm({ flags }: OperatorContext, accountId: string): Promise<void> {
  if (flags.has('yes')) return;
  if (!process.stdin.isTTY) throw new UsageError('An erasure cannot be undone. Add --yes to confirm it');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await terminal.question('An erasure cannot be undone. Type the id of the account to confirm it: ');
    if (typed.trim() !== accountId) throw new UsageError('Nothing was erased: the ids differ');
  } finally {
    terminal.close();
  }
}

async function moveCoins(context: OperatorContext, move: typeof grantCoins, minimum: number): Promise<object> {
  const coins = needInteger(context, 'coins', { minimum, maximum: MAX_COINS });
  if (coins === 0) throw new UsageError('--coins must not be 0');
  const reference = given(context, 'reference', () => need(context, 'reference'));
  requireOwnReference(reference);
  const order = {
    accountId: needId(context, 'account'),
    coins,
    actor: context.actor,
    reason: need(context, 'reason'),
    ...(reference === undefined ? {} : { reference }),
  };
  const moved = await withTx(context.db, (tx) => move(tx, order));
  return { accountId: order.accountId, coins, ...moved };
}

async function setLock(context: OperatorContext, locked: boolean): Promise<object> {
  const accountId = needId(context, 'account');
  const reason = need(context, 'reason');
  await withTx(context.db, (tx) => lockAccount(tx, { accountId, locked, reason, actor: context.actor }));
  return { accountId, locked };
}
