import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../test/database.ts';
import { sweepGenerations } from './sweep-generations.ts';
import { createMoneyPath, newFingerprint } from './testing/create-money-path.ts';
import { TEST_LIMITS } from './testing/test-limits.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const limits = TEST_LIMITS;
const sweep = () => sweepGenerations({ db, limits }, new AbortController().signal);

/** Moves an end into the past, which only the owner can do, with the trigger disabled. */
async function age(id: string, days: number): Promise<void> {
  await owner.pool.query('ALTER TABLE generation DISABLE TRIGGER generation_transition');
  await owner.pool.query(
    `UPDATE generation SET created_at = created_at - $2 * interval '1 day', completed_at = completed_at - $2 * interval '1 day',
       error_message = CASE WHEN error_code IS NOT NULL THEN 'my secret words' END, params = '{"prompt": "my secret words"}'
     WHERE id = $1`,
    [id, days],
  );
  await owner.pool.query('ALTER TABLE generation ENABLE TRIGGER generation_transition');
  await owner.pool.query('DELETE FROM event WHERE generation_id = $1', [id]);
}

const rowOf = async (id: string) =>
  (await path.read<Record<string, unknown>>('SELECT to_jsonb(g) AS row FROM generation g WHERE id = $1', [id]))[0]
    ?.row as Record<string, unknown>;

test('retention: params, error texts and fingerprints are removed after the retention period; ids, coins, times, hold and transfers stay', async () => {
  const account = await path.makeAccount();
  const [old, failed, young, live] = [
    await path.begin(account),
    await path.begin(account),
    await path.begin(account),
    await path.begin(account),
  ];
  await path.finish(old);
  await path.finish(failed, { error: 'internal' });
  await path.finish(young);
  await age(old, 401);
  await age(failed, 401);
  await age(young, 399);
  await owner.pool.query(`UPDATE generation SET created_at = now() - interval '500 days' WHERE id = $1`, [live]);
  const [before, coins] = [await rowOf(old), await path.coinsOf(account)];
  expect(await sweep()).toBe(2);
  const after = await rowOf(old);
  expect(after).toMatchObject({ params: {}, effective: null, effect_text: null, fingerprint: '\\x' });
  for (const kept of [
    'id',
    'account_id',
    'key_id',
    'model_id',
    'idempotency_key',
    'coins_quoted',
    'coins_charged',
    'created_at',
    'completed_at',
    'status',
  ]) {
    expect(after[kept], kept).toEqual(before[kept]);
  }
  expect(await rowOf(failed)).toMatchObject({ error_code: 'internal', error_message: '' });
  for (const id of [young, live]) expect((await rowOf(id)).erased_at).toBeNull();
  expect(JSON.stringify(await rowOf(young))).toContain('secret');
  expect(await path.coinsOf(account)).toEqual(coins);
  expect(await path.read('SELECT kind FROM transfer WHERE generation_id = $1 ORDER BY id', [old])).toEqual([
    { kind: 'hold' },
    { kind: 'capture' },
  ]);
  expect(await sweep()).toBe(0);
  await path.cancel(account, live);
});

test('retention: a repeated submit after the sweep is refused as a conflict and charges nothing', async () => {
  const account = await path.makeAccount();
  const request = { idempotencyKey: 'a-key-of-long-ago-1', fingerprint: newFingerprint() };
  const id = await path.begin(account, request);
  await path.finish(id);
  expect(await path.submit(account, request)).toMatchObject({ outcome: 'replayed', generationId: id });
  await age(id, 401);
  expect(await sweep()).toBe(1);
  const coins = await path.coinsOf(account);
  expect(await path.submit(account, request)).toMatchObject({ outcome: 'idempotency_conflict' });
  expect(await path.coinsOf(account)).toEqual(coins);
});

test('retention: the sweep uses an index', async () => {
  await holdTransaction(owner, async (client) => {
    await client.query('SET LOCAL enable_seqscan = off');
    const { rows } = await client.query(
      `EXPLAIN SELECT id FROM generation WHERE completed_at < now() - interval '400 days' AND erased_at IS NULL
       ORDER BY completed_at LIMIT 500`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('generation_to_clear');
  });
});
