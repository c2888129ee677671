import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { statement, type Tx, withTx } from '../../../platform/db.ts';
import { revokeApiKey } from '../../accounts/revoke-api-key.ts';
import { updateApiKey } from '../../accounts/update-api-key.ts';
import { grantCoins } from '../../ledger/grant-coins.ts';
import { cancelRow, submitGeneration } from '../generations.store.ts';
import { setRunLimitRow, settleRow, settleRows } from '../run/runs.store.ts';
import { createMoneyPath, type PathAccount, settlementOf, submissionOf } from '../testing/create-money-path.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
/** Far longer than any of these statements takes, and shorter than the detection of a deadlock. */
const WAITS_MS = 800;

type Step = (tx: Tx) => Promise<unknown>;

/** Steps that lock the account and then, by a foreign key or a month, the key. */
const MONEY_STEPS: Readonly<Record<string, (account: PathAccount) => Promise<Step>>> = {
  submit: async (account) => (tx) => submitGeneration(tx, submissionOf(account)),
  cancel: async ({ accountId, ...account }) => {
    const id = await path.begin({ accountId, ...account });
    return (tx) => cancelRow(tx, { accountId, id });
  },
  settle: async (account) => {
    const run = await path.take(await path.begin(account));
    return (tx) => settleRow(tx, settlementOf(run!));
  },
  'settle in a batch': async (account) => {
    const run = await path.take(await path.begin(account));
    return (tx) => settleRows(tx, [settlementOf(run!)]);
  },
  grant: async ({ accountId }) => {
    return (tx) => grantCoins(tx, { accountId, coins: 5, actor: 'test', reason: 'test' });
  },
  'running limit': async ({ accountId }) => {
    return (tx) => setRunLimitRow(tx, { accountId, limit: 9 });
  },
};

const editKey = ({ accountId, keyId }: PathAccount, requestCap: number): Step => {
  return (tx) => updateApiKey(tx, { accountId, keyId, requestCap, actor: 'test' });
};
const revokeKey = ({ accountId, keyId }: PathAccount): Step => {
  return (tx) => revokeApiKey(tx, { accountId, keyId, actor: 'test' });
};

/** Runs `second` while the transaction of `first` is open. True if it had to wait for a lock of `first`. */
async function waitsFor(first: Step, second: Step): Promise<boolean> {
  let other: Promise<unknown> | undefined;
  const waited = await withTx(db, async (tx) => {
    await first(tx);
    other = withTx(db, second);
    return Promise.race([other.then(() => false), sleep(WAITS_MS, true)]);
  });
  await other;
  return waited;
}

describe('a change of a key and a step that moves coins do not wait for each other', () => {
  test.each(Object.entries(MONEY_STEPS))('%s', async (_name, makeStep) => {
    const account = await path.makeAccount();
    expect(await waitsFor(editKey(account, 50), await makeStep(account)), 'the step waited for the change').toBe(false);
    expect(await waitsFor(await makeStep(account), editKey(account, 40)), 'the change waited for the step').toBe(false);
    expect(await waitsFor(await makeStep(account), revokeKey(account)), 'the revocation waited').toBe(false);
  });

  test('a stronger lock of the key is noticed', async () => {
    const account = await path.makeAccount();
    const lock = statement('test_strong_key_lock', 'SELECT 1 FROM api_key WHERE id = $1 FOR UPDATE');
    const lockKey: Step = (tx) => tx.query(lock, [account.keyId]);
    expect(await waitsFor(lockKey, await MONEY_STEPS.submit!(account))).toBe(true);
  });

  test('a stronger lock of the account is noticed', async () => {
    const account = await path.makeAccount();
    const lock = statement('test_strong_account_lock', 'SELECT 1 FROM account WHERE id = $1 FOR UPDATE');
    const lockAccount: Step = (tx) => tx.query(lock, [account.accountId]);
    expect(await waitsFor(lockAccount, editKey(account, 50))).toBe(true);
  });
});

test('a key can be changed while 8 clients submit with it: no deadlock', async () => {
  const account = await path.makeAccount();
  /** Without the retries of a transaction, so that a deadlock fails the test. */
  const once = { query: db.query } as Tx;
  const submitting = Array.from({ length: 8 }, async () => {
    for (let n = 0; n < 15; n += 1) {
      expect((await submitGeneration(once, submissionOf(account))).outcome).toBe('created');
    }
  });
  const editing = (async () => {
    for (let cap = 130; cap > 100; cap -= 1) {
      await withTx(db, async (tx) => {
        await editKey(account, cap)(tx);
        await sleep(2);
      });
    }
  })();
  await Promise.all([...submitting, editing]);
  expect(await path.read('SELECT request_cap FROM api_key WHERE id = $1', [account.keyId])).toEqual([
    { request_cap: 101 },
  ]);
});
