import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import { getConcurrency } from '../../accounts/get-concurrency.ts';
import { createMoneyPath, type PathAccount } from '../testing/create-money-path.ts';
import { createPathServices } from '../testing/create-path-services.ts';
import { getGeneration } from './get-generation.ts';
import { listGenerations } from './list-generations.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const services = createPathServices(db);
const ROUNDS = 31;

/** The position of every queued generation as clients read it, and as counted from the rows. */
async function placesOf(account: PathAccount): Promise<{ shown: (number | null)[]; counted: number[] }> {
  const rows = await path.read<{ id: string }>(
    `SELECT id FROM generation WHERE account_id = $1 AND status = 'queued' ORDER BY created_at, id`,
    [account.accountId],
  );
  const shown = [];
  for (const { id } of rows)
    shown.push((await getGeneration(services, { accountId: account.accountId, id })).queuePosition);
  return { shown, counted: rows.map((_, n) => n + 1) };
}

test('positions stay exact when generations in the middle, at the front and at the end are canceled', async () => {
  const account = await path.makeAccount({ runLimit: 2 });
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) ids.push(await path.begin(account));
  for (const n of [5, 7, 8, 2, 11, 3]) {
    await path.cancel(account, ids[n]!);
    const { shown, counted } = await placesOf(account);
    expect(shown).toEqual(counted);
  }
  // The first two end, and two more are promoted over a gap; a new one is queued after a canceled end.
  await path.take(ids[0]!);
  expect((await placesOf(account)).shown).toEqual([1, 2, 3, 4, 5]);
  await path.finish(ids[0]!);
  await path.finish(ids[1]!);
  expect(await path.submit(account)).toMatchObject({ queuePosition: 5, admitted: false });
  const { shown, counted } = await placesOf(account);
  expect(shown).toEqual(counted);
  expect(await getConcurrency(services, account.accountId)).toMatchObject({ running: 0, queued: 5 });
});

/** Fills the queue like submits: consecutive numbers, coins held, nothing admitted. Balances are updated once at the end. */
async function fill({ accountId, keyId }: PathAccount, count: number): Promise<void> {
  await holdTransaction(owner, async (client) => {
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(
      `WITH made AS (
         INSERT INTO generation (id, account_id, key_id, idempotency_key, fingerprint, model_id, model_name, task_type, modality, workspace,
           params, admitted, pool, coins_quoted, coins_per_output, outputs_requested, pricebook_version, deadline_seconds, created_at, queue_number)
         SELECT gen_random_uuid(), a.id, $2, 'filled-' || n || a.id, '\\x00', 'canvas', 'Canvas', 'image.generate', 'image', 'image',
           '{}', false, 'run-simulator', 7, 7, 1, 'test', 60, now() + n * interval '1 microsecond', a.queue_tail + n
         FROM generate_series(1, $3::integer) AS n, account a WHERE a.id = $1 RETURNING id, account_id, key_id
       ), held AS (
         INSERT INTO hold (generation_id, account_id, key_id, month, amount)
         SELECT id, account_id, key_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 7 FROM made
       )
       INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
       SELECT account_id, 'hold', 'available', 'held', 7, id FROM made`,
      [accountId, keyId, count],
    );
    await client.query(
      'UPDATE account SET queue_tail = queue_tail + $2, available = available - 7 * $2, held = held + 7 * $2 WHERE id = $1',
      [accountId, count],
    );
    await client.query('UPDATE key_month SET reserved = reserved + 7 * $2 WHERE key_id = $1', [keyId, count]);
    await client.query('COMMIT');
  });
}

/** Medians of the same work on two accounts, measured alternately so that other load affects both equally. */
async function compareMs(work: (account: PathAccount) => Promise<unknown>, accounts: readonly PathAccount[]) {
  const each: number[][] = accounts.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [n, account] of accounts.entries()) {
      const startMs = performance.now();
      await work(account);
      each[n]!.push(performance.now() - startMs);
    }
  }
  return each.map((times) => times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!) as [number, number];
}

test('listing with 30,000 queued generations is as fast as with 30', { timeout: 180_000 }, async () => {
  const [few, many] = [await path.makeAccount({ runLimit: 1 }), await path.makeAccount({ runLimit: 1 })];
  await path.begin(few);
  await path.begin(many);
  await fill(few, 29);
  await fill(many, 29_999);
  await owner.pool.query('ANALYZE generation');
  // Cancels some across the whole queue.
  const canceled = await path.read<{ id: string }>(
    `SELECT id FROM generation WHERE account_id = $1 AND queue_number % 100 = 50 ORDER BY queue_number`,
    [many.accountId],
  );
  for (const { id } of canceled) await path.cancel(many, id);
  const queued = 30_000 - canceled.length;

  const accounts = [few, many];
  const figures = {
    // Fewer than 30, so that both lists have a next page.
    list: await compareMs((account) => listGenerations(services, account.accountId, { limit: 25 }), accounts),
    submit: await compareMs((account) => path.submit(account), accounts),
    concurrency: await compareMs((account) => getConcurrency(services, account.accountId), accounts),
  };
  for (const [name, [small, large]] of Object.entries(figures)) {
    console.log(
      `${name}: 30 queued ${small.toFixed(2)} ms, 30,000 queued ${large.toFixed(2)} ms, ratio ${(large / small).toFixed(2)}`,
    );
    expect(large, name).toBeLessThan(3 * small + 2);
  }
  const page = await listGenerations(services, many.accountId, { limit: 30 });
  expect(page.items.map((item) => item.queuePosition)).toEqual(
    Array.from({ length: 30 }, (_, n) => queued + ROUNDS - n),
  );
  expect(await getConcurrency(services, many.accountId)).toMatchObject({ queued: queued + ROUNDS });
  const middle = await path.read<{ id: string; place: number }>(
    `SELECT id, place::integer FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS place FROM generation
       WHERE account_id = $1 AND status = 'queued') q WHERE place IN (1, 2, 50, 51, 1023, 8100, 8192, 8193, 8300, 15000, 29000)`,
    [many.accountId],
  );
  for (const { id, place } of middle) {
    expect(await getGeneration(services, { accountId: many.accountId, id })).toMatchObject({ queuePosition: place });
  }
});
