import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENT_TYPES, SCOPES } from '@atelier/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { unseal } from '../../platform/crypto.ts';
import { isAccountErased, isAccountMoved, withTx } from '../../platform/db.ts';
import { createAuthenticateKey } from '../accounts/authenticate-key.ts';
import { createApiKey } from '../accounts/create-api-key.ts';
import { verifyObjects } from '../assets/bucket/verify-objects.ts';
import { createBudget } from '../budgets/budgets.ts';
import { newFingerprint, type PathSubmission } from '../generations/testing/create-money-path.ts';
import { grantCoins } from '../ledger/grant-coins.ts';
import { createEndpoint } from '../webhooks/endpoints/create-endpoint.ts';
import { cancelMove, forgetMoved } from './end-move.ts';
import { type Moved, moveAccount } from './move-account.ts';
import { isMovingTable } from './moving-rows.store.ts';
import { createTestCell, type TestCell } from './testing/create-test-cell.ts';

const databases = { a: await openTestDatabase(), b: await openTestDatabase() };
const urlPolicy = { allowHttp: true, allowCidrs: ['127.0.0.0/8'], ownHosts: [] };
/** Its separators end a line for some readers. */
const PROMPT = 'one\u2028two\u2029three\nfour\t"five" 😀';

let a: TestCell;
let b: TestCell;
let dir: string;
beforeAll(async () => {
  a = await createTestCell('a', databases.a);
  b = await createTestCell('b', databases.b);
  dir = await mkdtemp(join(tmpdir(), 'moves-'));
});
afterAll(async () => {
  await a.close();
  await b.close();
  await rm(dir, { recursive: true, force: true });
});

const options = (accountId: string) => ({
  accountId,
  actor: 'test',
  dir,
  directory: join(dir, 'directory'),
  nginxPidFile: null,
  waitMs: 0,
});
const move = (from: TestCell, to: TestCell, accountId: string, onStep = (_step: string) => {}): Promise<Moved> =>
  moveAccount(from.cell, to.cell, { ...options(accountId), onStep });
const forget = (from: TestCell, accountId: string) => forgetMoved(from.cell, { accountId, actor: 'test', now: true });
const idsOf = (pair: { live: { accountId: string }; test: { accountId: string } }) => [
  pair.live.accountId,
  pair.test.accountId,
];
const coinsOf = async (cell: TestCell, ids: readonly string[]) =>
  (
    await cell.path.read<{ sum: number }>(
      'SELECT coalesce(sum(available + held), 0)::bigint AS sum FROM account WHERE id = ANY ($1)',
      [ids],
    )
  )[0]?.sum;

test('a pair moves there, back, and there again with everything', async () => {
  const pair = await a.makePair();
  const ids = idsOf(pair);
  const upload = await a.addUpload(pair.live);
  const endpoint = await withTx(a.cell.db, (tx) =>
    createEndpoint(
      tx,
      { keys: a.cell.keys, urlPolicy },
      { accountId: pair.live.accountId, url: 'http://127.0.0.1:1/', events: EVENT_TYPES },
    ),
  );
  const idempotencyKey = randomUUID();
  const fingerprint = newFingerprint();
  const first = await a.succeed(pair.live, {
    params: { prompt: PROMPT, seed: 1.5e300 } as NonNullable<PathSubmission['params']>,
    projectId: 'p',
    inputIds: [upload],
    idempotencyKey,
    fingerprint,
  });
  await a.succeed(pair.test);
  await a.path.finish(await a.path.begin(pair.live), { error: 'timeout' });
  await a.path.cancel(pair.live, await a.path.begin(pair.live));
  await createBudget(
    { db: a.cell.db, clock: { now: () => new Date() } },
    { accountId: pair.live.accountId, projectId: 'p', coins: 50, alertPercents: [100], actor: 'test' },
  );
  await buyCoins(a, pair.live.accountId);
  await addMembers(a, pair.ownerId);
  const before = await a.describe(ids);
  const coins = await coinsOf(a, ids);

  const moved = await move(a, b, pair.live.accountId);
  expect(moved).toMatchObject({ from: 'a', to: 'b', coins, accounts: [...ids].sort() });
  // Usage is counted before the departure.
  const after = await b.describe(ids);
  expect({ ...after, usage_day: [] }).toEqual({ ...before, usage_day: [] });
  expect(after.usage_day).toHaveLength(2);
  expect([await coinsOf(a, ids), await coinsOf(b, ids)]).toEqual([0, coins]);
  const [sealed] = await b.path.read<{ secret_sealed: string }>(
    'SELECT secret_sealed FROM webhook_endpoint WHERE id = $1',
    [endpoint.id],
  );
  expect(unseal({ keys: b.cell.keys, sealed: sealed!.secret_sealed, rowId: endpoint.id })).toBe(endpoint.secret);
  expect(await jobsOf(b)).toBe(3);
  expect(await membersOf(b, pair.ownerId)).toEqual(['known@example.com', 'new@example.com']);
  expect(await readdir(dir)).toEqual(['directory']);
  expect(await readFile(join(dir, 'directory', `${pair.ownerId}.map`), 'utf8')).toMatch(/^([0-9a-f]{64} b;\n){2}$/);

  expect(await epochOf(b)).toBeGreaterThan(await epochOf(a));

  // The source refuses everything, the target has it all.
  await expect(createAuthenticateKey(a.cell)(pair.live.key, 'api')).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 5,
  });
  const refused: Array<() => Promise<unknown>> = [
    () => a.path.submit(pair.live),
    () =>
      withTx(a.cell.db, (tx) => grantCoins(tx, { accountId: pair.live.accountId, coins: 1, actor: 't', reason: 't' })),
    () =>
      withTx(a.cell.db, (tx) => createApiKey(tx, 'a', { accountId: pair.live.accountId, name: 'x', scopes: SCOPES })),
    () =>
      a.path.read(
        `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants)
         VALUES ($1, $2, 'upload', 'image', 'image/png', 1, decode(repeat('00', 32), 'hex'), 'x', '{}')`,
        [randomUUID(), pair.live.accountId],
      ),
    () => a.path.read('UPDATE account SET name = $2 WHERE id = $1', [pair.live.accountId, 'x']),
  ];
  for (const write of refused) {
    expect(await write().catch(isAccountMoved)).toBe(true);
  }
  expect(await createAuthenticateKey(b.cell)(pair.live.key, 'api')).toMatchObject({ accountId: pair.live.accountId });
  expect(await b.path.submit(pair.live, { idempotencyKey, fingerprint })).toMatchObject({
    outcome: 'replayed',
    generationId: first.id,
  });
  expect((await b.listFiles()).length).toBe((await a.listFiles()).length);

  // A second stay needs the first one to be forgotten.
  await b.succeed(pair.live);
  await expect(move(b, a, pair.live.accountId)).rejects.toThrow('earlier stay');
  await expect(forgetMoved(a.cell, { accountId: pair.live.accountId, actor: 't', now: false })).rejects.toThrow(
    'an hour',
  );
  expect(await forget(a, pair.live.accountId)).toMatchObject({ generations: 4, files: 3 });
  expect([await a.listFiles(), (await a.describe(ids)).generation]).toEqual([[], []]);
  await withTx(b.cell.db, (tx) =>
    createApiKey(tx, 'b', { accountId: pair.live.accountId, name: 'made in b', scopes: SCOPES }),
  );
  await withTx(b.cell.db, (tx) =>
    grantCoins(tx, { accountId: pair.live.accountId, coins: 11, actor: 't', reason: 't' }),
  );

  for (const [from, to] of [
    [b, a],
    [a, b],
  ] as const) {
    await from.succeed(pair.live);
    const [was, had] = [await from.describe(ids), await coinsOf(from, ids)];
    await move(from, to, pair.live.accountId);
    const is = await to.describe(ids);
    expect({ ...is, usage_day: [] }).toEqual({ ...was, usage_day: [] });
    expect([await coinsOf(from, ids), await coinsOf(to, ids)]).toEqual([0, had]);
    expect(await epochOf(to)).toBeGreaterThan(await epochOf(from));
    await forget(from, pair.live.accountId);
    expect(await from.listFiles()).toEqual([]);
    await expectNothingCountedTwice(ids);
  }
  for (const { cell } of [a, b]) {
    expect((await verifyObjects(cell, { orphanAgeMs: 0 })).filter(({ violations }) => violations > 0)).toEqual([]);
  }
  // An erasure reaches the cell that it left too.
  const erase = 'SELECT begin_erasure(p_account => $1, p_actor => $2) AS found';
  expect(await a.path.read(erase, [pair.live.accountId, 'test'])).toEqual([{ found: true }]);
});

test('a pair whose test account is erased moves there and back, and that account stays erased', async () => {
  const pair = await a.makePair();
  await a.succeed(pair.test);
  await a.path.read('SELECT begin_erasure(p_account => $1, p_actor => $2)', [pair.test.accountId, 'test']);
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    await move(from, to, pair.live.accountId);
    await forget(from, pair.live.accountId);
    const erased = 'SELECT mode FROM account WHERE owner_id = $1 AND erased_at IS NOT NULL';
    expect(await to.path.read(erased, [pair.ownerId])).toEqual([{ mode: 'test' }]);
    const grant = { accountId: pair.test.accountId, coins: 1, actor: 't', reason: 't' };
    expect(await withTx(to.cell.db, (tx) => grantCoins(tx, grant)).catch(isAccountErased)).toBe(true);
  }
});

test('a move that stopped continues', async () => {
  const pair = await a.makePair();
  const ids = idsOf(pair);
  await a.succeed(pair.live);
  const [before, coins] = [await a.describe(ids), await coinsOf(a, ids)];
  const moves = new Set<string>();
  for (const stop of ['wait for generations', 'copy the rest of the files', 'arrive', 'verify', 'switch']) {
    await expect(
      move(a, b, pair.test.accountId, (step) => {
        if (step === stop) throw new Error(`stopped at ${step}`);
      }),
    ).rejects.toThrow(`stopped at ${stop}`);
    const [row] = await a.path.read<{ id: string }>(
      `SELECT id FROM account_move WHERE pair_id = $1 AND direction = 'out'`,
      [pair.ownerId],
    );
    moves.add(row!.id);
    expect(await a.path.submit(pair.live).catch(isAccountMoved)).toBe(true);
    expect((await coinsOf(a, ids))! + (await coinsOf(b, ids))!).toBe(
      ['wait for generations', 'verify', 'switch'].includes(stop) ? coins : 0,
    );
  }
  expect((await move(a, b, pair.live.accountId)).id).toBe([...moves][0]);
  expect(moves.size).toBe(1);
  // Repeated once more, it only writes the directory again.
  await move(a, b, pair.live.accountId);
  expect({ ...(await b.describe(ids)), usage_day: [] }).toEqual({ ...before, usage_day: [] });
  expect(await coinsOf(b, ids)).toBe(coins);
  await expectNothingCountedTwice(ids);
});

test('a move waits for generations, and can be canceled before and after the departure', async () => {
  const pair = await a.makePair();
  const other = await a.makePair();
  const ids = idsOf(pair);
  await withTx(a.cell.db, (tx) =>
    createEndpoint(
      tx,
      { keys: a.cell.keys, urlPolicy },
      { accountId: pair.live.accountId, url: 'http://127.0.0.1:1/', events: EVENT_TYPES },
    ),
  );
  const cancel = () => cancelMove(a.cell, b.cell, { accountId: pair.live.accountId, actor: 'test', dir });
  const running = await a.path.begin(pair.live);
  await expect(move(a, b, pair.live.accountId)).rejects.toThrow('1 generations have not ended');
  expect(await a.path.submit(pair.live).catch(isAccountMoved)).toBe(true);
  expect((await a.path.submit(other.live)).outcome).toBe('created');
  await a.path.finish(running, { error: 'timeout' });
  await cancel();
  await a.succeed(pair.live);

  const [before, coins, jobs] = [await a.describe(ids), await coinsOf(a, ids), await jobsOf(a)];
  const stop = (step: string) => {
    if (step === 'copy the rest of the files') throw new Error('stopped');
  };
  await expect(move(a, b, pair.live.accountId, stop)).rejects.toThrow('stopped');
  expect(await coinsOf(a, ids)).toBe(0);
  await cancel();
  await expect(cancel()).rejects.toThrow('not moving');
  expect({ ...(await a.describe(ids)), usage_day: [] }).toEqual({ ...before, usage_day: [] });
  // The old jobs do nothing: their ids are no longer those of the deliveries.
  expect([await coinsOf(a, ids), await jobsOf(a)]).toEqual([coins, jobs]);
  expect((await a.path.submit(pair.live)).outcome).toBe('created');
});

test('what is written during the departure moves too, or is refused', async () => {
  const pair = await a.makePair();
  let writes: Promise<PromiseSettledResult<{ id: string }>[]> = Promise.resolve([]);
  const write = () =>
    withTx(a.cell.db, (tx) => createApiKey(tx, 'a', { accountId: pair.live.accountId, name: 'late', scopes: SCOPES }));
  await move(a, b, pair.live.accountId, (step) => {
    if (step === 'depart') writes = Promise.allSettled(Array.from({ length: 10 }, write));
  });
  const ends = await writes;
  expect(ends).toHaveLength(10);
  const made = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.id] : []));
  for (const end of ends) if (end.status === 'rejected') expect(isAccountMoved(end.reason)).toBe(true);
  const there = await b.path.read<{ id: string }>(`SELECT id FROM api_key WHERE account_id = $1 AND name = 'late'`, [
    pair.live.accountId,
  ]);
  expect(there.map(({ id }) => id).sort()).toEqual(made.sort());
});

test('refused: the same cell, no such account, a file that changed', async () => {
  const pair = await a.makePair();
  await a.succeed(pair.live);
  await expect(move(a, a, pair.live.accountId)).rejects.toThrow('the same CELL');
  await expect(move(a, b, randomUUID())).rejects.toThrow('no such account');
  const stop = (step: string) => {
    if (step === 'arrive') throw new Error('stopped');
  };
  await expect(move(a, b, pair.live.accountId, stop)).rejects.toThrow('stopped');
  const [name] = (await readdir(dir)).filter((each) => each.endsWith('.rows'));
  await rm(join(dir, name!));
  await expect(move(a, b, pair.live.accountId)).rejects.toThrow('does not exist');
  await cancelMove(a.cell, b.cell, { accountId: pair.live.accountId, actor: 'test', dir });
});

test('every table with rows of an account moves, or has a reason to stay', async () => {
  const staying: Readonly<Record<string, string>> = {
    account_move: 'each cell writes its own row',
    invitation: 'an open invitation is sent again by hand',
    membership: 'moves as member, by address',
    pairing: 'ends after ten minutes',
    parked_payment_event: 'carried after the arrival, one by one',
    queue_gap: 'belongs to the queue of a cell, and nothing is queued',
    request_record: 'explains requests to the operator of a cell',
    resumable_upload: 'an open upload starts again',
    run_failure: 'explains failures to the operator of a cell',
    usage_position: 'counts transfers of a cell',
  };
  const links = 'account_id pair_id owner_id generation_id key_id endpoint_id delivery_id payment_ref'.split(' ');
  const found = await a.path.read<{ table: string }>(
    `SELECT DISTINCT table_name AS table FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = ANY ($1) ORDER BY 1`,
    [links],
  );
  const tables = found.map(({ table }) => table);
  expect(tables.filter((table) => !isMovingTable(table))).toEqual(Object.keys(staying));
  expect(tables.filter((table) => isMovingTable(table)).length).toBeGreaterThan(15);
});

async function epochOf({ path }: TestCell): Promise<number> {
  return (await path.read<{ epoch: number }>('SELECT epoch FROM event_epoch'))[0]!.epoch;
}

/** Deliveries that wait for their own job. */
async function jobsOf(cell: TestCell): Promise<number> {
  const [row] = await cell.path.read<{ count: number }>(
    `SELECT count(*)::int AS count FROM delivery d JOIN pgboss.job j ON j.name = 'deliver-webhook' AND j.id = d.job_id WHERE d.status = 'pending'`,
  );
  return row?.count ?? 0;
}

/** A paid checkout, half of it refunded. */
async function buyCoins({ path }: TestCell, accountId: string): Promise<void> {
  const id = randomUUID();
  await path.read(
    `WITH paid AS (
       INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason, reference)
       VALUES ($1, 'grant', 'issued', 'available', 100, 'stripe', 'paid', 'checkout/' || $2) RETURNING id
     ), refunded AS (
       INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason, reference)
       VALUES ($1, 'adjust', 'available', 'adjustment', 50, 'stripe', 'refund', 'checkout/' || $2 || '/refund')
     ), refund AS (
       INSERT INTO payment_refund (payment_ref, amount) VALUES ('pi_' || $2, 500)
     )
     INSERT INTO checkout (id, account_id, status, amount, currency, coins, payment_ref, transfer_id, coins_taken, paid_at)
     SELECT $2::uuid, $1, 'paid', 1000, 'eur', 100, 'pi_' || $2, paid.id, 50, now() FROM paid`,
    [accountId, id],
  );
}

/** Three members: one whom the target knows too, one with a new address, one whose address is not confirmed. */
async function addMembers(cell: TestCell, pairId: string): Promise<void> {
  await cell.path.read(
    `WITH people AS (
       INSERT INTO person (id, name, email, email_verified) VALUES (gen_random_uuid(), 'K', 'known@example.com', true),
         (gen_random_uuid(), 'N', 'new@example.com', true), (gen_random_uuid(), 'U', 'unsure@example.com', false) RETURNING id
     ) INSERT INTO membership (person_id, pair_id, role) SELECT id, $1, 'owner' FROM people`,
    [pairId],
  );
  await b.path.read(
    `INSERT INTO person (id, name, email, email_verified) VALUES (gen_random_uuid(), 'K', 'known@example.com', true)`,
  );
}

async function membersOf({ path }: TestCell, pairId: string): Promise<string[]> {
  const rows = await path.read<{ email: string }>(
    'SELECT p.email FROM membership m JOIN person p ON p.id = m.person_id WHERE m.pair_id = $1 ORDER BY 1',
    [pairId],
  );
  return rows.map(({ email }) => email);
}

/** Over both cells, the transfers that a cell booked itself add up to the balances. */
async function expectNothingCountedTwice(ids: readonly string[]): Promise<void> {
  let booked = 0;
  let balances = 0;
  for (const cell of [a, b]) {
    const [row] = await cell.path.read<{ booked: number; times: number }>(
      `SELECT coalesce(sum(CASE WHEN credit = 'available' AND debit <> 'held' THEN amount
         WHEN debit = 'available' AND credit <> 'held' THEN -amount WHEN kind = 'capture' THEN -amount ELSE 0 END), 0)::bigint AS booked
       FROM transfer WHERE account_id = ANY ($1) AND origin_cell IS NULL AND debit <> 'moved' AND credit <> 'moved'`,
      [ids],
    );
    booked += row!.booked;
    balances += (await coinsOf(cell, ids))!;
  }
  expect(booked).toBe(balances);
}
