import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { openKeyPrefix } from '../../domain/assets/bucket/bucket-ownership.ts';
import { insertRunFailure } from '../../domain/generations/run/run-failures.store.ts';
import { createMoneyPath } from '../../domain/generations/testing/create-money-path.ts';
import { verifyBooks } from '../../domain/ledger/verify-books.ts';
import type { Db } from '../../platform/db.ts';
import { createDirectoryStore } from '../../platform/object-store/directory-store.ts';
import { eraseAccount } from './erase-account.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const dir = await mkdtemp(join(tmpdir(), 'atelier-erase-'));
afterAll(() => rm(dir, { recursive: true, force: true }));
const store = createDirectoryStore({ path: dir });
await openKeyPrefix({ db }, 'c1');
const WORDS = 'a heron above the lake';

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
    expect({ at, ...report }).toEqual({ at, canceled: 0, erased: 2, live: 0, files: 2 });
    const broken = (await verifyBooks({ db: owner })).filter(({ violations }) => violations > 0);
    expect({ at, broken }).toEqual({ at, broken: [] });
  }
  expect(last).toBeGreaterThan(8);
});

test('an erasure does not wait longer than told, and says what still runs', async () => {
  const { accountId, end } = await leaveWhileRunning();
  const erase = () => eraseAccount({ db, store, wake: () => {} }, { accountId, actor: 'tester', waitMs: 0 });
  expect(await erase()).toEqual({ canceled: 0, erased: 1, live: 1, files: 1 });
  await end();
  expect(await erase()).toEqual({ canceled: 0, erased: 1, live: 0, files: 1 });
  expect(await wordsOf(accountId)).toEqual([]);
  // A worker that was overtaken may fail later.
  const [{ id } = { id: '' }] = await path.read<{ id: string }>('SELECT id FROM generation WHERE account_id = $1', [
    accountId,
  ]);
  const failure = { attempt: 1, target: null, code: 'internal', decision: 'retry', message: WORDS } as const;
  await insertRunFailure(db, { id, accountId, ...failure });
  expect(await path.read('SELECT 1 FROM run_failure WHERE account_id = $1', [accountId])).toEqual([]);
});
