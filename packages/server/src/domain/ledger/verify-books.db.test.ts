import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../test/database.ts';
import type { Db } from '../../platform/db.ts';
import { createMoneyPath, type PathAccount } from '../generations/testing/create-money-path.ts';
import { type InvariantId, invariants, type Retention } from './invariants.store.ts';
import { verifyBooks } from './verify-books.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

interface World {
  readonly account: PathAccount;
  readonly queued: string;
  readonly processing: string;
  readonly partial: string;
  readonly failed: string;
  readonly canceled: string;
  readonly upload: string;
  readonly foreignUpload: string;
}

async function addUpload(account: PathAccount): Promise<string> {
  const id = randomUUID();
  await owner.pool.query(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants)
     VALUES ($1, $2, 'upload', 'image', 'image/png', 1, sha256('x'), $3, '{}')`,
    [id, account.accountId, `uploads/${id}`],
  );
  return id;
}

/** An account with a generation in each state and an endpoint that received every event: no violations. */
async function makeWorld(): Promise<World> {
  const account = await path.makeAccount({ monthlyCap: 1_000 });
  await owner.pool.query(
    `INSERT INTO webhook_endpoint (id, account_id, url, events, secret_sealed, updated_at)
     VALUES (gen_random_uuid(), $1, 'https://receiver.test/', '{generation.succeeded,generation.failed,generation.canceled}',
       'sealed', now() - interval '1 hour')`,
    [account.accountId],
  );
  const upload = await addUpload(account);
  const partial = await path.begin(account, { outputs: 3, inputIds: [upload] });
  await path.finish(partial, { outputs: 1 });
  const failed = await path.begin(account);
  await path.finish(failed, { error: 'internal' });
  const canceled = await path.begin(account, { outputs: 2 });
  await path.cancel(account, canceled);
  const processing = await path.begin(account);
  await path.take(processing);
  const foreignUpload = await addUpload(await path.makeAccount());
  return { account, queued: await path.begin(account), processing, partial, failed, canceled, upload, foreignUpload };
}

interface Drift {
  readonly name: string;
  /** Statements that no role of the service can run. */
  readonly plant: (world: World) => string[];
  /** Exactly the invariants that must report it. */
  readonly broken: readonly InvariantId[];
}

const ofGeneration = (id: string, kind: string) => `generation_id = '${id}' AND kind = '${kind}'`;
const deliveryOf = (id: string) =>
  `(SELECT d.id FROM delivery d JOIN event e ON e.id = d.event_id WHERE e.generation_id = '${id}')`;

const drifts: readonly Drift[] = [
  {
    name: 'a balance one coin too high',
    plant: ({ account }) => [`UPDATE account SET available = available + 1 WHERE id = '${account.accountId}'`],
    broken: ['I1', 'I2'],
  },
  {
    name: 'one held coin too few',
    plant: ({ account }) => [`UPDATE account SET held = held - 1 WHERE id = '${account.accountId}'`],
    broken: ['I1', 'I2', 'I3'],
  },
  {
    name: 'a coin moved from held to available by hand',
    plant: ({ account }) => [
      `UPDATE account SET held = held - 1, available = available + 1 WHERE id = '${account.accountId}'`,
    ],
    broken: ['I1', 'I3'],
  },
  {
    name: 'a missing release',
    plant: ({ canceled }) => [`DELETE FROM transfer WHERE ${ofGeneration(canceled, 'release')}`],
    broken: ['I1', 'I6b'],
  },
  {
    name: 'a missing capture',
    plant: ({ partial }) => [`DELETE FROM transfer WHERE ${ofGeneration(partial, 'capture')}`],
    broken: ['I1', 'I2', 'I6b'],
  },
  {
    name: 'a missing hold transfer, with the balance made to fit',
    plant: ({ queued, account }) => [
      `DELETE FROM transfer WHERE ${ofGeneration(queued, 'hold')}`,
      `UPDATE account SET held = held - 7, available = available + 7 WHERE id = '${account.accountId}'`,
    ],
    broken: ['I3', 'I5', 'I6b'],
  },
  {
    name: 'an extra capture, with the balance made to fit',
    plant: ({ canceled, account }) => [
      `INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
       VALUES ('${account.accountId}', 'capture', 'held', 'revenue', 7, '${canceled}')`,
      `UPDATE account SET held = held - 7 WHERE id = '${account.accountId}'`,
    ],
    broken: ['I3', 'I6b'],
  },
  {
    name: 'a second capture',
    plant: ({ partial, account }) => [
      'DROP INDEX transfer_once',
      `INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
       VALUES ('${account.accountId}', 'capture', 'held', 'revenue', 7, '${partial}')`,
    ],
    broken: ['I1', 'I2', 'I5', 'I6b'],
  },
  {
    name: 'a hold left open on a canceled generation',
    plant: ({ canceled }) => [
      `UPDATE hold SET closed_at = NULL, captured = 0, released = 0 WHERE generation_id = '${canceled}'`,
    ],
    broken: ['I3', 'I4', 'I6b', 'I7', 'I9'],
  },
  {
    name: 'a live generation without a hold',
    plant: ({ queued }) => [`DELETE FROM hold WHERE generation_id = '${queued}'`],
    broken: ['I3', 'I4', 'I9'],
  },
  {
    name: 'a hold of one coin more than the quote',
    plant: ({ queued }) => [`UPDATE hold SET amount = amount + 1 WHERE generation_id = '${queued}'`],
    broken: ['I3', 'I6', 'I6b', 'I9'],
  },
  {
    name: 'a failure that was paid for',
    plant: ({ failed }) => [`UPDATE hold SET captured = 7, released = 0 WHERE generation_id = '${failed}'`],
    broken: ['I6', 'I6b', 'I7', 'I9'],
  },
  {
    name: 'a charge for outputs that were not delivered',
    plant: ({ partial, account }) => [
      `UPDATE generation SET coins_charged = 14 WHERE id = '${partial}'`,
      `UPDATE hold SET captured = 14, released = 7 WHERE generation_id = '${partial}'`,
      `UPDATE transfer SET amount = 14 WHERE ${ofGeneration(partial, 'capture')}`,
      `UPDATE transfer SET amount = 7 WHERE ${ofGeneration(partial, 'release')}`,
      `UPDATE account SET available = available - 7 WHERE id = '${account.accountId}'`,
      `UPDATE key_month SET spent = spent + 7 WHERE key_id = '${account.keyId}'`,
    ],
    broken: ['I21'],
  },
  {
    name: 'a key above its cap',
    plant: ({ account }) => [`UPDATE api_key SET monthly_cap = 1 WHERE id = '${account.keyId}'`],
    broken: ['I8'],
  },
  {
    name: 'a reservation one coin too low',
    plant: ({ account }) => [`UPDATE key_month SET reserved = reserved - 1 WHERE key_id = '${account.keyId}'`],
    broken: ['I9'],
  },
  {
    name: 'a month without its row',
    plant: ({ account }) => [`DELETE FROM key_month WHERE key_id = '${account.keyId}'`],
    broken: ['I9'],
  },
  {
    name: 'one idempotency key twice',
    plant: ({ account }) => [
      'ALTER TABLE generation DROP CONSTRAINT generation_account_id_idempotency_key_key',
      `UPDATE generation SET idempotency_key = 'the-same' WHERE account_id = '${account.accountId}'`,
    ],
    broken: ['I10'],
  },
  {
    name: 'a slot too many',
    plant: ({ account }) => [`UPDATE account SET slots = slots + 1 WHERE id = '${account.accountId}'`],
    broken: ['I11'],
  },
  {
    name: 'a slot too few',
    plant: ({ account }) => [`UPDATE account SET slots = slots - 1 WHERE id = '${account.accountId}'`],
    broken: ['I11'],
  },
  {
    name: 'an end without its event',
    plant: ({ failed }) => [`DELETE FROM event WHERE generation_id = '${failed}'`],
    broken: ['I13'],
  },
  {
    name: 'an event of another end',
    plant: ({ failed }) => [`UPDATE event SET type = 'generation.succeeded' WHERE generation_id = '${failed}'`],
    broken: ['I13'],
  },
  {
    name: 'an event of what still lives',
    plant: ({ queued, account }) => [
      `INSERT INTO event (id, account_id, generation_id, type, created_at)
       VALUES (gen_random_uuid(), '${account.accountId}', '${queued}', 'generation.canceled', now() - interval '2 hours')`,
    ],
    broken: ['I13'],
  },
  {
    name: 'a missing delivery',
    plant: ({ failed }) => [`DELETE FROM delivery WHERE id = ${deliveryOf(failed)}`],
    broken: ['I14'],
  },
  {
    name: 'a second attempt at once',
    plant: ({ failed }) =>
      [1, 2].map(
        (n) =>
          `INSERT INTO attempt (delivery_id, round, n, started_at, finished_at, ok, latency_ms)
           SELECT id, 1, ${n}, now() + ${n} * interval '1 second', now() + ${n} * interval '1 second', false, 1
           FROM delivery WHERE id = ${deliveryOf(failed)}`,
      ),
    broken: ['I15'],
  },
  {
    name: 'a delivery said to be made without an attempt',
    plant: ({ failed }) => [
      `UPDATE delivery SET status = 'delivered', finished_at = now(), next_at = NULL WHERE id = ${deliveryOf(failed)}`,
    ],
    broken: ['I16'],
  },
  {
    name: 'a waiting generation without a number',
    plant: ({ queued, account }) => [
      `UPDATE generation SET admitted = false, queue_number = NULL WHERE id = '${queued}'`,
      `UPDATE account SET slots = slots - 1 WHERE id = '${account.accountId}'`,
    ],
    broken: ['I12', 'I27'],
  },
  {
    name: 'a generation parked although a slot is free',
    plant: ({ queued }) => [`UPDATE generation SET parked = true WHERE id = '${queued}'`],
    broken: ['I27'],
  },
  {
    name: 'a run past its deadline',
    plant: ({ processing }) => [
      `UPDATE generation SET deadline_at = now() - interval '200 seconds' WHERE id = '${processing}'`,
    ],
    broken: ['I19'],
  },
  {
    name: "another account's file as an input",
    plant: ({ queued, account, foreignUpload }) => [
      `INSERT INTO generation_input (generation_id, account_id, asset_id)
       VALUES ('${queued}', '${account.accountId}', '${foreignUpload}')`,
    ],
    broken: ['I20'],
  },
  {
    name: 'an output that is gone',
    plant: ({ partial }) => [`DELETE FROM asset WHERE generation_id = '${partial}'`],
    broken: ['I21'],
  },
  {
    name: 'an upload kept too long',
    plant: ({ upload }) => [`UPDATE asset SET expires_at = now() - interval '2 days' WHERE id = '${upload}'`],
    broken: ['I23'],
  },
  {
    name: 'a capture that the usage does not count',
    plant: ({ account }) => [
      `INSERT INTO usage_position (account_id, transfer_id)
       SELECT account_id, max(id) FROM transfer WHERE account_id = '${account.accountId}' GROUP BY 1`,
    ],
    broken: ['I24'],
  },
  {
    name: 'a paid checkout without its coins',
    plant: ({ account }) => [
      `INSERT INTO checkout (id, account_id, status, amount, currency, coins, payment_ref, transfer_id, paid_at)
       VALUES (gen_random_uuid(), '${account.accountId}', 'paid', 1000, 'usd', 10, 'pi_1', -1, now())`,
    ],
    broken: ['I25'],
  },
  {
    name: 'coins taken back without a refund',
    plant: ({ account }) => [
      `INSERT INTO checkout (id, account_id, amount, currency, coins, coins_taken)
       VALUES (gen_random_uuid(), '${account.accountId}', 1000, 'usd', 10, 10)`,
    ],
    broken: ['I26'],
  },
];

/** The invariants that these statements break, in a transaction that is rolled back. */
async function breakWith(statements: readonly string[], retention?: Retention): Promise<string[]> {
  return holdTransaction(owner, async (client) => {
    await client.query('SET LOCAL session_replication_role = replica');
    for (const statement of statements) expect((await client.query(statement)).rowCount, statement).not.toBe(0);
    const inside = {
      query: async ({ text }, values) => (await client.query(text, values as unknown[])).rows,
      pool: owner.pool,
    } as Db;
    const checks = await verifyBooks({ db: inside }, retention);
    return checks.filter(({ violations }) => violations > 0).map(({ id }) => id);
  });
}

const world = await makeWorld();

test.each(drifts)('$name breaks $broken', async ({ plant, broken }) => {
  expect(await breakWith([])).toEqual([]);
  expect(await breakWith(plant(world))).toEqual(broken);
});

test('every invariant can fail', () => {
  expect(new Set(drifts.flatMap(({ broken }) => broken))).toEqual(new Set(Object.keys(invariants)));
});

test.each([
  { eventRetentionDays: 2, days: 3, broken: [] },
  { eventRetentionDays: 2, days: 1, broken: ['I13'] },
  { eventRetentionDays: 60, days: 40, broken: ['I13'] },
])('verify uses event retention: $eventRetentionDays days, deleted after $days', async ({ broken, ...given }) => {
  const retention = { eventRetentionDays: given.eventRetentionDays, outputRetentionDays: 90 };
  const gone = [
    `UPDATE generation SET completed_at = now() - interval '${given.days} days' WHERE id = '${world.partial}'`,
    `DELETE FROM event WHERE generation_id = '${world.partial}'`,
  ];
  expect(await breakWith(gone, retention)).toEqual(broken);
});

test.each([
  { outputRetentionDays: 1, hours: 23.5, broken: [] },
  { outputRetentionDays: 2, hours: 23.5, broken: ['I21'] },
])(
  'verify uses output retention: $outputRetentionDays days, deleted after $hours hours',
  async ({ broken, ...given }) => {
    const retention = { eventRetentionDays: 30, outputRetentionDays: given.outputRetentionDays };
    const gone = [
      `UPDATE generation SET completed_at = now() - interval '${given.hours} hours' WHERE id = '${world.partial}'`,
      `DELETE FROM asset WHERE generation_id = '${world.partial}'`,
    ];
    expect(await breakWith(gone, retention)).toEqual(broken);
  },
);

test('a cap lowered by the operator blocks only new spending', async () => {
  const { account } = world;
  const lowered = [
    `UPDATE api_key SET monthly_cap = 1 WHERE id = '${account.keyId}'`,
    `INSERT INTO audit_log (actor, action, account_id, detail)
     VALUES ('test', 'key.cap_lowered', '${account.accountId}', '{"keyId": "${account.keyId}"}')`,
  ];
  expect(await breakWith(lowered)).toEqual([]);
});

test('a check reports the number of violations and the first of them', async () => {
  await holdTransaction(owner, async (client) => {
    await client.query(`UPDATE account SET slots = 7`);
    const inside = {
      query: async ({ text }, values) => (await client.query(text, values as unknown[])).rows,
      pool: owner.pool,
    } as Db;
    const check = (await verifyBooks({ db: inside })).find(({ id }) => id === 'I11');
    expect(check).toMatchObject({ violations: 2, claim: invariants.I11.claim });
    expect(check?.first).toContainEqual({ id: world.account.accountId });
  });
});
