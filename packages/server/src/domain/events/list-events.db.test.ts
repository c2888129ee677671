import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookEvent } from '@atelier/contract';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../test/database.ts';
import { createMoneyPath, type PathAccount } from '../generations/testing/create-money-path.ts';
import { createPathServices } from '../generations/testing/create-path-services.ts';
import { checkEventEpoch } from './check-event-epoch.ts';
import { listEvents } from './list-events.ts';

const database = await openTestDatabase({ connections: 40 });
const { db, owner } = database;
const path = createMoneyPath(database);
const services = createPathServices(db);
const FAIL = `SELECT settle_generation(p_id => $1, p_attempt => $2, p_error_code => 'internal', p_error_message => 'no',
  p_assets => '[]', p_retention_days => 90)`;

/** Reads the feed as a client does, page by page, until `until` is true and the end is reached. */
async function follow(account: PathAccount, options: { limit: number; until: () => boolean }): Promise<WebhookEvent[]> {
  const seen: WebhookEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const stopping = options.until();
    const page = await listEvents(services, account.accountId, {
      limit: options.limit,
      ...(after === undefined ? {} : { after }),
    });
    seen.push(...page.items);
    after = page.nextAfter ?? undefined;
    if (page.hasMore) continue;
    if (stopping) return seen;
    await sleep(1);
  }
}

/** Whether no transaction on this server delays the account's events. Other tests run concurrently. */
async function isShown(account: PathAccount): Promise<boolean> {
  const rows = await path.read(
    `SELECT 1 FROM event WHERE account_id = $1 AND epoch = (SELECT epoch FROM event_epoch)
       AND xid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1`,
    [account.accountId],
  );
  return rows.length === 0;
}

async function untilShown(account: PathAccount): Promise<void> {
  while (!(await isShown(account))) await sleep(5);
}

async function settledOf(account: PathAccount): Promise<string[]> {
  const rows = await path.read<{ id: string }>('SELECT id FROM event WHERE account_id = $1 ORDER BY id', [
    account.accountId,
  ]);
  return rows.map(({ id }) => id);
}

test('a reader under concurrent writes misses no event and gets none twice', async () => {
  const account = await path.makeAccount({ runLimit: 1_000 });
  const ids: string[] = [];
  for (let n = 0; n < 300; n += 1) ids.push(await path.begin(account));
  let done = false;
  const readers = [1, 7, 100].map((limit) => follow(account, { limit, until: () => done }));
  const waiting = [...ids];
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const run = await path.take(id);
        // It gets its transaction id long before it writes its event, so others with later ids commit first.
        await holdTransaction(db, async (client) => {
          await client.query('SELECT pg_current_xact_id()');
          await sleep(Math.random() * 8);
          await client.query(FAIL, [id, run!.attempt]);
          await sleep(Math.random() * 4);
          if (Math.random() >= 0.1) await client.query('COMMIT');
        });
      }
    }),
  );
  await untilShown(account);
  done = true;
  const expected = await settledOf(account);
  for (const seen of await Promise.all(readers)) {
    expect(seen.map(({ id }) => id).sort()).toEqual(expected);
  }
  console.log(`${expected.length} events, three readers: none missed, none twice`);
  for (const { id } of await path.read<{ id: string }>(
    `SELECT id FROM generation WHERE account_id = $1 AND status = 'processing'`,
    [account.accountId],
  )) {
    await path.settle((await path.take(id))!);
  }
});

test("an event that commits late never appears before a reader's position: the feed waits for it", async () => {
  const [slow, quick] = [await path.makeAccount(), await path.makeAccount()];
  const slowRun = await path.take(await path.begin(slow));
  await holdTransaction(db, async (client) => {
    await client.query(FAIL, [slowRun!.id, 1]);
    await path.finish(await path.begin(quick));
    // Committed, but not shown yet: this is another account, but positions are shared by all.
    expect((await listEvents(services, quick.accountId, {})).items).toEqual([]);
    await client.query('COMMIT');
  });
  await untilShown(quick);
  await untilShown(slow);
  expect((await listEvents(services, quick.accountId, {})).items).toHaveLength(1);
  expect((await listEvents(services, slow.accountId, {})).items).toHaveLength(1);
});

test('a read-only transaction does not delay the feed', async () => {
  const account = await path.makeAccount();
  const holdSnapshot = async (client: pg.PoolClient) => {
    await client.query('SELECT count(*) FROM event');
    await path.finish(await path.begin(account));
    await untilShown(account);
    expect((await listEvents(services, account.accountId, {})).items).toHaveLength(1);
  };
  await holdTransaction(db, holdSnapshot, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
});

test('a position is bound to its account, cannot be forged, and does not change while there are no events', async () => {
  const [one, other] = [await path.makeAccount(), await path.makeAccount()];
  await path.finish(await path.begin(one));
  await untilShown(one);
  const page = await listEvents(services, one.accountId, {});
  const after = page.nextAfter!;
  expect(await listEvents(services, one.accountId, { after })).toEqual({ items: [], nextAfter: after, hasMore: false });
  for (const bad of [`${after.slice(0, -2)}xx`, 'e1.x', 'x'.repeat(200)]) {
    await expect(listEvents(services, one.accountId, { after: bad })).rejects.toMatchObject({ code: 'invalid_params' });
  }
  await expect(listEvents(services, other.accountId, { after })).rejects.toMatchObject({ code: 'invalid_params' });
  expect(await listEvents(services, other.accountId, {})).toEqual({ items: [], nextAfter: null, hasMore: false });
});

test('on another server, where transaction ids start again, an old position still finds all later events', async () => {
  const account = await path.makeAccount();
  await path.finish(await path.begin(account));
  await path.finish(await path.begin(account));
  await untilShown(account);
  expect(await checkEventEpoch(services)).toBe(1);
  // The state after a restore from a dump: transaction ids far above those of this server.
  await owner.pool.query(`UPDATE event SET xid = (xid::text::bigint + 1000000000)::text::xid8`);
  await owner.pool.query(`UPDATE event_epoch SET server = 'another/1'`);
  expect((await listEvents(services, account.accountId, {})).items).toEqual([]);

  expect(await checkEventEpoch(services)).toBe(2);
  const old = await listEvents(services, account.accountId, {});
  expect(old.items).toHaveLength(2);
  await path.finish(await path.begin(account));
  await untilShown(account);
  const news = await listEvents(services, account.accountId, { after: old.nextAfter! });
  expect(news.items).toHaveLength(1);
  expect(await checkEventEpoch(services)).toBe(2);
});
