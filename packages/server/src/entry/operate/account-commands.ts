import { randomUUID } from 'node:crypto';
import { createAccount } from '../../domain/accounts/create-account.ts';
import { listAccounts } from '../../domain/accounts/list-accounts.ts';
import { lockAccount } from '../../domain/accounts/lock-account.ts';
import { eraseAccountFiles } from '../../domain/assets/erase-account-files.ts';
import { eraseAccountGenerations } from '../../domain/generations/erase-account-generations.ts';
import { setRunLimit } from '../../domain/generations/set-run-limit.ts';
import { adjustCoins } from '../../domain/ledger/adjust-coins.ts';
import { grantCoins } from '../../domain/ledger/grant-coins.ts';
import { eraseAccountDeliveries } from '../../domain/webhooks/erase-account-deliveries.ts';
import { createWake } from '../../engine/wake.ts';
import { withTx } from '../../platform/db.ts';
import { createObjectStore } from '../../platform/object-store/create-object-store.ts';
import { need, needInteger, type OperatorCommand, type OperatorContext, UsageError } from './operator-command.ts';

const account = { 'account!': 'id of the account' };

export const accountCommands: Readonly<Record<string, OperatorCommand>> = {
  create: {
    summary: 'makes an account, live or test',
    options: {
      'name!': 'a name for people',
      mode: 'live (default) or test',
      coins: 'coins to start with',
      owner: 'id of the owner; a new one by default',
    },
    run: (context) =>
      withTx(context.db, async (tx) => {
        const mode = context.options.mode ?? 'live';
        if (mode !== 'live' && mode !== 'test') throw new UsageError('--mode must be live or test');
        const accountId = await createAccount(tx, {
          ownerId: context.options.owner ?? randomUUID(),
          mode,
          name: need(context, 'name'),
        });
        if (context.options.coins !== undefined) {
          await grantCoins(tx, {
            accountId,
            coins: needInteger(context, 'coins'),
            actor: context.actor,
            reason: 'coins to start with',
          });
        }
        return { accountId, mode };
      }),
  },
  list: { summary: 'the accounts with their balances', options: {}, run: (context) => listAccounts(context) },
  grant: {
    summary: 'gives coins to an account',
    options: { ...account, 'coins!': 'how many', 'reason!': 'why; kept for good' },
    run: (context) => moveCoins(context, grantCoins),
  },
  adjust: {
    summary: 'corrects a balance in either direction',
    options: { ...account, 'coins!': 'how many; --coins=-5 takes away', 'reason!': 'why; kept for good' },
    run: (context) => moveCoins(context, adjustCoins),
  },
  lock: {
    summary: 'refuses quotes, submits and uploads of an account',
    options: { ...account, 'reason!': 'why' },
    run: (context) => setLock(context, true),
  },
  unlock: {
    summary: 'opens a locked account',
    options: { ...account, 'reason!': 'why' },
    run: (context) => setLock(context, false),
  },
  limit: {
    summary: 'sets how many generations of an account may run at once',
    options: { ...account, 'running!': 'the limit' },
    async run(context) {
      const limit = needInteger(context, 'running');
      await setRunLimit(
        { db: context.db, wake: createWake(context.db) },
        { accountId: need(context, 'account'), limit },
      );
      return { running: limit };
    },
  },
  erase: {
    summary: 'erases what an account said and all its files; coins and their rows stay',
    options: account,
    async run(context) {
      const accountId = need(context, 'account');
      const store = createObjectStore(context.config.objectStore);
      try {
        const words = await eraseAccountGenerations(
          { db: context.db, wake: createWake(context.db) },
          { accountId, actor: context.actor },
        );
        await eraseAccountDeliveries(context, accountId);
        const { files } = await eraseAccountFiles({ db: context.db, store }, accountId);
        return { ...words, files };
      } finally {
        await store.close();
      }
    },
  },
};

async function moveCoins(context: OperatorContext, move: typeof grantCoins): Promise<object> {
  const movement = {
    accountId: need(context, 'account'),
    coins: needInteger(context, 'coins'),
    actor: context.actor,
    reason: need(context, 'reason'),
  };
  await withTx(context.db, (tx) => move(tx, movement));
  return { accountId: movement.accountId, coins: movement.coins };
}

async function setLock(context: OperatorContext, locked: boolean): Promise<object> {
  const accountId = need(context, 'account');
  await withTx(context.db, (tx) =>
    lockAccount(tx, { accountId, locked, reason: need(context, 'reason'), actor: context.actor }),
  );
  return { accountId, locked };
}
