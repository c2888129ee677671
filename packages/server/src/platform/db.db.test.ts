import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { createDb, isDatabaseUnavailable, statement, type Tx, withStatementTx, withTx } from './db.ts';

const { db, owner, url } = await openTestDatabase({ connections: 4 });
await owner.pool.query('CREATE TABLE note (id integer PRIMARY KEY, text text)');
await owner.pool.query('GRANT SELECT, INSERT, UPDATE ON note TO atelier_app');

const INSERT = statement('test_insert_note', 'INSERT INTO note (id, text) VALUES ($1, $2)');
const COUNT = statement('test_count_notes', 'SELECT count(*) AS count FROM note WHERE id = $1');
const LOCK = statement('test_lock_note', 'SELECT 1 FROM note WHERE id = $1 FOR UPDATE');
const countOf = async (id: number) => (await db.query<{ count: number }>(COUNT, [id]))[0]?.count;

describe('withStatementTx', () => {
  test('commits its one statement', async () => {
    await withStatementTx(db, (tx) => tx.query(INSERT, [1, 'a']));
    expect(await countOf(1)).toBe(1);
  });

  test('refuses a second statement', async () => {
    const two = withStatementTx(db, async (tx) => {
      await tx.query(INSERT, [2, 'a']);
      await tx.query(INSERT, [3, 'a']);
    });
    await expect(two).rejects.toThrow('allows one statement');
    expect(await countOf(3)).toBe(0);
  });
});

describe('withTx', () => {
  test('commits all or nothing', async () => {
    const insertBoth = (fail: boolean) =>
      withTx(db, async (tx) => {
        await tx.query(INSERT, [10, 'a']);
        await tx.query(INSERT, [11, 'b']);
        if (fail) throw new Error('changed my mind');
      });
    await expect(insertBoth(true)).rejects.toThrow('changed my mind');
    expect(await countOf(10)).toBe(0);
    await insertBoth(false);
    expect(await countOf(11)).toBe(1);
  });

  test('retries after a deadlock until both commit', async () => {
    await withTx(db, async (tx) => {
      await tx.query(INSERT, [20, 'a']);
      await tx.query(INSERT, [21, 'a']);
    });
    let arrived = 0;
    const lockBoth = (ids: [number, number]) =>
      withTx(db, async (tx) => {
        await tx.query(LOCK, [ids[0]]);
        arrived += 1;
        while (arrived < 2) await new Promise((resolve) => setTimeout(resolve, 5));
        await tx.query(LOCK, [ids[1]]);
      });
    await Promise.all([lockBoth([20, 21]), lockBoth([21, 20])]);
    expect(arrived).toBe(3);
  });

  test('a lock wait of more than two seconds counts as unavailable', async () => {
    await withTx(db, (tx) => tx.query(INSERT, [30, 'a']));
    // The test database waits longer for locks than production does.
    const production = createDb({ url, applicationName: 'db-test', maxConnections: 1 });
    try {
      await withTx(db, async (tx: Tx) => {
        await tx.query(LOCK, [30]);
        const startedAt = performance.now();
        const refused = await production.query(LOCK, [30]).catch((error: unknown) => error);
        expect(isDatabaseUnavailable(refused)).toBe(true);
        expect(performance.now() - startedAt).toBeLessThan(4_000);
      });
    } finally {
      await production.pool.end();
    }
  });

  test('a broken connection is not reused', async () => {
    const broken = withTx(db, (tx) =>
      tx.query(statement('test_terminate', 'SELECT pg_terminate_backend(pg_backend_pid())')),
    );
    const error = await broken.catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
    for (let n = 0; n < 8; n += 1) expect(await countOf(1)).toBe(1);
  });
});

test('int8 is a number', async () => {
  const [row] = await db.query<{ n: unknown }>(statement('test_int8', 'SELECT 9007199254740991::bigint AS n'));
  expect(row?.n).toBe(Number.MAX_SAFE_INTEGER);
  await expect(db.query(statement('test_int8_over', 'SELECT 9007199254740992::bigint AS n'))).rejects.toThrow('int8');
});
