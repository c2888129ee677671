import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import {
  createMoneyPath,
  newFingerprint,
  type PathAccount,
  type PathSubmission,
} from '../testing/create-money-path.ts';
import { holdAccountLock } from '../testing/hold-account-lock.ts';

const CALLS = 100;
const CONNECTIONS = 25;
const { db, owner } = await openTestDatabase({ connections: CONNECTIONS });
const path = createMoneyPath({ db, owner });
// Open all connections before the first race: a statement waits at most two seconds for a lock.
await Promise.all(Array.from({ length: CONNECTIONS }, () => db.pool.query('SELECT pg_sleep(0.1)')));

/** Submits concurrently; the first ones all wait for the same lock before any continues. */
async function submitTogether(
  account: PathAccount,
  each: (n: number) => PathSubmission = () => ({}),
): Promise<Record<string, number>> {
  let calls: Promise<PromiseSettledResult<{ outcome: string }>[]> | undefined;
  await holdAccountLock(owner, {
    accountId: account.accountId,
    waiters: CONNECTIONS,
    start: () => {
      calls = Promise.allSettled(Array.from({ length: CALLS }, (_, n) => path.submit(account, each(n))));
    },
  });
  const counts: Record<string, number> = {};
  for (const call of (await calls) ?? []) {
    const outcome = call.status === 'fulfilled' ? call.value.outcome : `error ${(call.reason as Error).message}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

test('100 submits of one key and body create one generation', async () => {
  const account = await path.makeAccount({ coins: 50 });
  const given = { idempotencyKey: randomUUID(), fingerprint: newFingerprint() };
  expect(await submitTogether(account, () => given)).toEqual({ created: 1, replayed: 99 });
  expect(await path.coinsOf(account)).toEqual({ available: 43, held: 7 });
});

test('100 submits of one key and two bodies create one generation, and the other body is refused', async () => {
  const account = await path.makeAccount();
  const idempotencyKey = randomUUID();
  const bodies = [newFingerprint(), newFingerprint()] as const;
  const counts = await submitTogether(account, (n) => ({
    idempotencyKey,
    fingerprint: bodies[(n % 2) as 0 | 1],
  }));
  expect(counts).toEqual({ created: 1, replayed: 49, idempotency_conflict: 50 });
});

test('a balance of 50 pays for 7 of 100 submits at 7', async () => {
  const account = await path.makeAccount({ coins: 50 });
  expect(await submitTogether(account)).toEqual({ created: 7, insufficient_coins: 93 });
  expect(await path.coinsOf(account)).toEqual({ available: 1, held: 49 });
});

test('a budget of 50 admits 7 of 100 submits at 7', async () => {
  const account = await path.makeAccount();
  expect(await submitTogether(account, () => ({ budget: { id: 'session', coins: 50 } }))).toEqual({
    created: 7,
    budget_exceeded: 93,
  });
});

test('a cap of 500 admits 71 of 100 submits at 7, and one more for each cancel', async () => {
  const account = await path.makeAccount({ monthlyCap: 500 });
  expect(await submitTogether(account)).toEqual({ created: 71, spend_cap_exceeded: 29 });
  expect(await path.monthsOf(account)).toMatchObject([{ reserved: 497, spent: 0 }]);
  const waiting = await path.read<{ id: string }>(
    'SELECT id FROM generation WHERE account_id = $1 ORDER BY created_at LIMIT 20',
    [account.accountId],
  );
  const canceled = await Promise.all(waiting.map(({ id }) => path.cancel(account, id)));
  expect(canceled.map(({ outcome }) => outcome)).toEqual(Array(20).fill('canceled'));
  expect(await submitTogether(account)).toEqual({ created: 20, spend_cap_exceeded: 80 });
});

test('100 submits under a limit of 4 take 4 slots and 4 jobs, the oldest first', async () => {
  const account = await path.makeAccount({ runLimit: 4 });
  expect(await submitTogether(account)).toEqual({ created: 100 });
  expect(await path.accountOf(account)).toMatchObject({ slots: 4 });
  const oldest = await path.read<{ id: string }>(
    'SELECT id FROM generation WHERE account_id = $1 ORDER BY created_at, id LIMIT 4',
    [account.accountId],
  );
  expect(await path.jobsOf(account)).toEqual(oldest.map(({ id }) => id));
});

test('concurrent submits, cancels and settlements of one account keep the ledger consistent', async () => {
  const account = await path.makeAccount({ coins: 500, runLimit: 4, monthlyCap: 300 });
  const live = new Set<string>();
  const steps = Array.from({ length: 60 }, async (_, n) => {
    const { generationId } = await path.submit(account, { outputs: 1 + (n % 3) });
    if (generationId === null) return;
    live.add(generationId);
    if (n % 3 === 0) await path.cancel(account, generationId);
    if (n % 3 !== 1) return;
    const run = await path.take(generationId);
    if (run === undefined) return;
    const end = n % 2 === 0 ? { outputs: 1 } : { error: 'internal' as const };
    const settled = await Promise.all([path.settle(run, end), path.settle(run, end)]);
    expect(settled.map(({ outcome }) => outcome).sort()).toEqual(['fenced', 'settled']);
  });
  await Promise.all(steps);
  expect(live.size).toBeGreaterThan(10);
});
