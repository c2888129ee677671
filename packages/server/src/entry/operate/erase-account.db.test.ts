import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { renamePair } from '../../domain/accounts/accounts.store.ts';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { lockAccount } from '../../domain/accounts/lock-account.ts';
import { openKeyPrefix } from '../../domain/assets/bucket/bucket-ownership.ts';
import { insertRunFailure } from '../../domain/generations/run/run-failures.store.ts';
import { createMoneyPath } from '../../domain/generations/testing/create-money-path.ts';
import { adjustCoins } from '../../domain/ledger/adjust-coins.ts';
import { grantCoins } from '../../domain/ledger/grant-coins.ts';
import { verifyBooks } from '../../domain/ledger/verify-books.ts';
import { insertCheckout } from '../../domain/payments/checkouts.store.ts';
import { receivePaymentEvent } from '../../domain/payments/receive-payment-event.ts';
import { createInvitation, findInvitation } from '../../domain/people/invitations.ts';
import { addMember } from '../../domain/people/manage-people.ts';
import { listMemberships } from '../../domain/people/memberships.ts';
import { approvePairing, createPairing, redeemPairing } from '../../domain/people/pairings.ts';
import { setUpPerson } from '../../domain/people/set-up-person.ts';
import { createEndpoint } from '../../domain/webhooks/endpoints/create-endpoint.ts';
import { toProblem } from '../../http/server/problem-handler.ts';
import { createManualPayments } from '../../payments/manual-payments.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import { type Db, withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { createDirectoryStore } from '../../platform/object-store/directory-store.ts';
import { eraseAccount } from './erase-account.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const dir = await mkdtemp(join(tmpdir(), 'atelier-erase-'));
afterAll(() => rm(dir, { recursive: true, force: true }));
const store = createDirectoryStore({ path: dir });
await openKeyPrefix({ db }, 'c1');
const WORDS = 'a heron above the lake';
const DEFAULTS = { coins: 5, testCoins: 100, runLimit: 2, raisedLimit: null, rateLimit: 300, keyRateLimit: 120 };

/** The same database, with work done before its statement number `at`. Counts the statements. */
function interrupt(at: number, work: () => Promise<unknown>): { db: Db; statements: () => number } {
  let count = 0;
  const before = async () => {
    count += 1;
    if (count === at) await work();
  };
  const pool = new Proxy(db.pool, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== 'query' && name !== 'connect') return member;
      return async (...args: unknown[]) => {
        await before();
        return member.apply(target, args);
      };
    },
  });
  const query: Db['query'] = async (...args) => {
    await before();
    return db.query(...args);
  };
  return { db: { ...db, pool, query }, statements: () => count };
}

/** An account with one generation that ended and one that runs, which `end` ends. */
async function leaveWhileRunning() {
  const account = await path.makeAccount();
  const words = { params: { prompt: WORDS }, projectId: WORDS };
  await path.finish(await path.begin(account, words));
  const id = await path.begin(account, { ...words, idempotencyKey: `my key ${WORDS} ${account.accountId}` });
  const run = (await path.take(id))!;
  return { accountId: account.accountId, end: () => path.settle(run) };
}

const wordsOf = (accountId: string) =>
  path.read<{ said: string }>(
    `SELECT to_jsonb(g)::text AS said FROM generation g WHERE account_id = $1 AND to_jsonb(g)::text LIKE $2
     UNION ALL SELECT to_jsonb(a)::text FROM asset a WHERE account_id = $1
     UNION ALL SELECT to_jsonb(u)::text FROM usage_day u WHERE account_id = $1 AND to_jsonb(u)::text LIKE $2`,
    [accountId, `%${WORDS}%`],
  );

test('an erasure leaves nothing of a generation that ends meanwhile, at whichever statement', async () => {
  // The first run tells how many statements one round has. The last ones end the generation in the second round.
  let last = 1;
  for (let at = 1; at <= last; at += 1) {
    const { accountId, end } = await leaveWhileRunning();
    const interrupted = interrupt(at, end);
    const services = { db: interrupted.db, store, wake: () => {} };
    const report = await eraseAccount(services, { accountId, actor: 'tester', waitMs: 10_000, pollMs: 1 });
    if (at === 1) last = interrupted.statements() + 3;
    expect({ at, words: await wordsOf(accountId) }).toEqual({ at, words: [] });
    expect({ at, ...report }).toMatchObject({ at, canceled: 0, erased: 2, live: 0, files: 2 });
    const broken = (await verifyBooks({ db: owner })).filter(({ violations }) => violations > 0);
    expect({ at, broken }).toEqual({ at, broken: [] });
  }
  expect(last).toBeGreaterThan(8);
});

test('an erasure does not wait longer than told, and says what still runs', async () => {
  const { accountId, end } = await leaveWhileRunning();
  const erase = () => eraseAccount({ db, store, wake: () => {} }, { accountId, actor: 'tester', waitMs: 0 });
  expect(await erase()).toMatchObject({ canceled: 0, erased: 1, live: 1, files: 1 });
  await end();
  expect(await erase()).toMatchObject({ canceled: 0, erased: 1, live: 0, files: 1 });
  expect(await wordsOf(accountId)).toEqual([]);
  // A worker that was overtaken may fail later.
  const [{ id } = { id: '' }] = await path.read<{ id: string }>('SELECT id FROM generation WHERE account_id = $1', [
    accountId,
  ]);
  const failure = { attempt: 1, target: null, code: 'internal', decision: 'retry', message: WORDS } as const;
  await insertRunFailure(db, { id, accountId, ...failure });
  expect(await path.read('SELECT 1 FROM run_failure WHERE account_id = $1', [accountId])).toEqual([]);
});

const erase = (accountId: string) =>
  eraseAccount({ db, store, wake: () => {} }, { accountId, actor: 'tester', waitMs: 10_000, pollMs: 1 });

/** A person with a live and a test account, and what may be open in them. */
async function addCustomer() {
  const personId = newId();
  const email = `${personId}@heron.example`;
  await owner.pool.query(`INSERT INTO person (id, name, email, email_verified) VALUES ($1, 'Heron', $2, true)`, [
    personId,
    email,
  ]);
  const { accountId, testAccountId } = (await setUpPerson({ db, accountDefaults: DEFAULTS }, personId))!;
  const invited = `invited-${personId}@heron.example`;
  const { token } = await createInvitation(
    { db },
    { accountId, email: invited, role: 'viewer', invitedBy: personId, actor: 'test' },
  );
  const { userCode, deviceSecret } = await createPairing(
    { db },
    { deviceName: "Heron's laptop", scopes: ['read'], monthlyCap: null, network: personId },
  );
  await approvePairing({ db }, { userCode, personId, accountId, monthlyCap: null });
  const checkoutId = newId();
  const price = { amount: 100, currency: 'eur', coins: 10 };
  await withTx(db, (tx) => insertCheckout(tx, { accountId, id: checkoutId, ...price }));
  const [pair] = await path.read<{ pairId: string }>('SELECT owner_id AS "pairId" FROM account WHERE id = $1', [
    accountId,
  ]);
  return { personId, email, accountId, testAccountId, pairId: pair!.pairId, token, deviceSecret, checkoutId, price };
}

test('an erasure ends memberships, invitations, pairings and open purchases, and removes their texts', async () => {
  const [leaving, staying] = [await addCustomer(), await addCustomer()];
  const rowsOf = ({ accountId, pairId }: typeof leaving) =>
    path.read<{ said: string }>(
      `SELECT 'membership ' || role AS said FROM membership WHERE pair_id = $2
       UNION ALL SELECT 'invitation ' || email FROM invitation WHERE pair_id = $2
       UNION ALL SELECT 'pairing ' || device_name FROM pairing WHERE account_id = $1
       UNION ALL SELECT 'checkout ' || status FROM checkout WHERE account_id = $1`,
      [accountId, pairId],
    );
  expect(await rowsOf(leaving)).toHaveLength(4);
  expect(await erase(leaving.accountId)).toMatchObject({ members: 1, notErased: leaving.testAccountId });
  expect(await rowsOf(leaving)).toEqual([{ said: 'checkout expired' }]);
  expect(await rowsOf(staying)).toHaveLength(4);
  expect(await listMemberships({ db }, leaving.personId)).toEqual([]);
  expect(await findInvitation({ db }, leaving.token)).toBeNull();
  const redeemed = redeemPairing(
    { db, cell: 'c1', keyRateLimit: 60 },
    { deviceSecret: leaving.deviceSecret, network: 'n' },
  );
  await expect(redeemed).rejects.toMatchObject({ code: 'not_found' });
  expect(await erase(leaving.testAccountId)).toMatchObject({ members: 0, notErased: null });
});

test('the erasure of a test account leaves the members to the live one', async () => {
  const { testAccountId, accountId, personId } = await addCustomer();
  expect(await erase(testAccountId)).toMatchObject({ members: 0, notErased: accountId });
  expect(await listMemberships({ db }, personId)).toHaveLength(1);
  await withTx(db, (tx) => renamePair(tx, { accountId, name: 'Heron and sons' }));
  const names = await path.read('SELECT name FROM account WHERE id = ANY ($1) ORDER BY mode', [
    [accountId, testAccountId],
  ]);
  expect(names).toEqual([{ name: 'Heron and sons' }, { name: 'erased' }]);
});

test('an erased account accepts nothing new', async () => {
  const { accountId, personId, pairId, checkoutId, price } = await addCustomer();
  await erase(accountId);
  const actor = 'test';
  const urlPolicy = { allowHttp: true, allowCidrs: ['127.0.0.0/8'], ownHosts: [] };
  const keys = createKeyRing([randomBytes(32)]);
  const insert = (table: string, columns: string, values: string) =>
    owner.pool.query(`INSERT INTO ${table} (${columns}) VALUES (${values})`, [accountId]);
  const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
    'a key': () => withTx(db, (tx) => createApiKey(tx, 'c1', { accountId, name: 'new', scopes: ['read'] })),
    'an endpoint': () =>
      withTx(db, (tx) =>
        createEndpoint(
          tx,
          { keys, urlPolicy },
          { accountId, url: 'http://127.0.0.1:9/', events: ['generation.failed'], actor },
        ),
      ),
    'a member': () => addMember({ db }, { personId, accountId, role: 'owner', actor }),
    'an invitation': () =>
      createInvitation({ db }, { accountId, email: 'new@heron.example', role: 'viewer', invitedBy: null, actor }),
    'a purchase': () => withTx(db, (tx) => insertCheckout(tx, { accountId, id: newId(), ...price })),
    'a budget': () => insert('budget', 'id, account_id, coins, alert_percents', `gen_random_uuid(), $1, 5, '{50}'`),
    'an upload': () =>
      insert(
        'asset',
        'id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants',
        `gen_random_uuid(), $1, 'upload', 'image', 'image/png', 1, decode(repeat('00', 32), 'hex'), 'k', '{}'`,
      ),
    'an upload in pieces': () =>
      insert('resumable_upload', 'id, account_id, bytes, expires_at', 'gen_random_uuid(), $1, 5, now()'),
    'a grant': () => withTx(db, (tx) => grantCoins(tx, { accountId, coins: 5, actor, reason: 'a gift' })),
    'the payment of an open purchase': () =>
      receivePaymentEvent(
        { db, payments: createManualPayments({ currency: 'eur', contact: null }, { cell: 'c1', locksDisputes: true }) },
        {
          id: 'evt_late',
          type: 'checkout.session.completed',
          createdAt: new Date(),
          origin: { checkoutId, order: null },
          change: { kind: 'paid', paymentRef: 'pi_late', ...price },
        },
      ),
    'an unlock': () => withTx(db, (tx) => lockAccount(tx, { accountId, locked: false, reason: 'sorry', actor })),
  };
  for (const [what, attempt] of Object.entries(attempts)) {
    const refusal = await attempt().then(
      () => 'accepted',
      (error) => toProblem(error).message,
    );
    expect({ what, refusal }).toEqual({ what, refusal: 'This account was erased. It accepts nothing new.' });
  }
  expect(await path.read('SELECT 1 FROM membership WHERE pair_id = $1', [pairId])).toEqual([]);
  // Coins of an earlier purchase can still be taken back, and a lock keeps its meaning.
  await withTx(db, (tx) => adjustCoins(tx, { accountId, coins: -1, actor, reason: 'refunded' }));
  await withTx(db, (tx) => lockAccount(tx, { accountId, locked: true, reason: 'again', actor }));
});
