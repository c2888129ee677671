import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../test/database.ts';
import { createMoneyPath } from '../generations/testing/create-money-path.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

const APPEND_ONLY = '23001';
const NO_RIGHT = '42501';
const BROKEN_CHECK = '23514';
const NOT_UNIQUE = '23505';

describe.each(['transfer', 'audit_log'])('%s', (table) => {
  const column = table === 'transfer' ? 'reason' : 'actor';
  const statements = [
    `UPDATE ${table} SET ${column} = 'x'`,
    `DELETE FROM ${table}`,
    `TRUNCATE ${table}`,
    `TRUNCATE ${table} CASCADE`,
  ];

  test.each(statements)('refuses its owner: %s', async (statement) => {
    const account = await path.makeAccount();
    await owner.pool.query(`INSERT INTO audit_log (actor, action, account_id) VALUES ('test', 'test', $1)`, [
      account.accountId,
    ]);
    await expect(owner.pool.query(statement)).rejects.toMatchObject({
      code: APPEND_ONLY,
      message: `${table} is append-only`,
    });
  });

  test.each(statements)('refuses the service: %s', async (statement) => {
    await expect(db.pool.query(statement)).rejects.toMatchObject({ code: NO_RIGHT });
  });

  test('does not let the service disable its triggers', async () => {
    await expect(db.pool.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`)).rejects.toMatchObject({ code: NO_RIGHT });
    await expect(db.pool.query(`SET session_replication_role = replica`)).rejects.toMatchObject({ code: NO_RIGHT });
    await expect(db.pool.query(`DROP TABLE ${table} CASCADE`)).rejects.toMatchObject({ code: NO_RIGHT });
  });
});

describe('a balance', () => {
  test.each(['available = available + 1', 'held = held + 1', 'available = 0, held = 0', 'id = gen_random_uuid()'])(
    'cannot be written by the service: %s',
    async (change) => {
      await path.makeAccount();
      await expect(db.pool.query(`UPDATE account SET ${change}`)).rejects.toMatchObject({ code: NO_RIGHT });
    },
  );

  test.each(['available', 'held', 'slots'])('cannot be set on a new account: %s', async (column) => {
    const columns = `(id, owner_id, mode, name, run_limit, ${column})`;
    await expect(
      db.pool.query(`INSERT INTO account ${columns} VALUES ($1, $1, 'test', 'rich', 1, 1000)`, [randomUUID()]),
    ).rejects.toMatchObject({ code: NO_RIGHT });
  });

  test('changes by the amount of a transfer that the service inserts', async () => {
    const account = await path.makeAccount({ coins: 0 });
    await db.pool.query(
      `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason)
       VALUES ($1, 'grant', 'issued', 'available', 12, 'test', 'test')`,
      [account.accountId],
    );
    expect(await path.coinsOf(account)).toEqual({ available: 12, held: 0 });
  });

  test('changes by the sum of the transfers of one statement, each account by its own', async () => {
    const [one, other] = [await path.makeAccount({ coins: 0 }), await path.makeAccount({ coins: 5 })];
    await db.pool.query(
      `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason)
       SELECT t.account, 'adjust', t.debit, t.credit, t.amount, 'test', 'test'
       FROM (VALUES ($1::uuid, 'adjustment', 'available', 12), ($1, 'available', 'adjustment', 4), ($2, 'available', 'adjustment', 3))
         AS t (account, debit, credit, amount)`,
      [one.accountId, other.accountId],
    );
    expect(await path.coinsOf(one)).toEqual({ available: 8, held: 0 });
    expect(await path.coinsOf(other)).toEqual({ available: 2, held: 0 });
  });

  test('cannot have negative held coins, whatever the service inserts', async () => {
    const account = await path.makeAccount({ coins: 5 });
    const release = db.pool.query(
      `INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id) VALUES ($1, 'release', 'held', 'available', 1, $2)`,
      [account.accountId, randomUUID()],
    );
    await expect(release).rejects.toMatchObject({ code: BROKEN_CHECK });
    expect(await path.coinsOf(account)).toEqual({ available: 5, held: 0 });
  });

  test.each(['fold_transfers', 'fold_transfer'])(
    'cannot be changed by %s in a trigger of the service',
    async (fold) => {
      const account = await path.makeAccount({ coins: 5 });
      const minted = holdTransaction(db, async (client) => {
        await client.query(
          'CREATE TEMP TABLE transfer (account_id uuid, debit text, credit text, amount bigint) ON COMMIT DROP',
        );
        await client.query(
          fold === 'fold_transfer'
            ? 'CREATE TRIGGER mint AFTER INSERT ON transfer FOR EACH ROW EXECUTE FUNCTION fold_transfer()'
            : `CREATE TRIGGER mint AFTER INSERT ON transfer REFERENCING NEW TABLE AS moved
               FOR EACH STATEMENT EXECUTE FUNCTION fold_transfers()`,
        );
        await client.query(`INSERT INTO pg_temp.transfer VALUES ($1, 'issued', 'available', 1000)`, [
          account.accountId,
        ]);
        await client.query('COMMIT');
      });
      await expect(minted).rejects.toMatchObject({ code: NO_RIGHT, message: 'only transfers move coins' });
      expect(await path.coinsOf(account)).toEqual({ available: 5, held: 0 });
    },
  );

  test('cannot be deleted with its account by the service', async () => {
    await expect(db.pool.query('DELETE FROM account')).rejects.toMatchObject({ code: NO_RIGHT });
  });
});

describe('a transfer', () => {
  const insert = (row: Record<string, unknown>) => {
    const names = Object.keys(row);
    return db.pool.query(
      `INSERT INTO transfer (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(row),
    );
  };
  const grant = { kind: 'grant', debit: 'issued', credit: 'available', amount: 1, actor: 'a', reason: 'r' };

  test.each([
    ['of nothing', { ...grant, amount: 0 }],
    ['of less than nothing', { ...grant, amount: -5 }],
    ['against its direction', { ...grant, debit: 'available', credit: 'issued' }],
    ['of an unknown kind', { ...grant, kind: 'gift' }],
    ['without an actor', { ...grant, actor: null }],
    ['without a reason', { ...grant, reason: null }],
    ['of a hold without its generation', { kind: 'hold', debit: 'available', credit: 'held', amount: 1 }],
    ['of a capture from the balance', { kind: 'capture', debit: 'available', credit: 'revenue', amount: 1 }],
    ['of a grant with a generation', { ...grant, generation_id: randomUUID() }],
  ])('%s is refused', async (_name, row) => {
    const account = await path.makeAccount();
    await expect(insert({ ...row, account_id: account.accountId })).rejects.toMatchObject({ code: BROKEN_CHECK });
  });

  test.each(['hold', 'release'])('of a second %s for a generation is refused', async (kind) => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    await path.cancel(account, id);
    const [debit, credit] = kind === 'hold' ? ['available', 'held'] : ['held', 'available'];
    await expect(
      insert({ account_id: account.accountId, kind, debit, credit, amount: 7, generation_id: id }),
    ).rejects.toMatchObject({ code: NOT_UNIQUE });
  });

  test('never takes more than the held amount', async () => {
    const account = await path.makeAccount();
    const row = { kind: 'release', debit: 'held', credit: 'available', amount: 1, generation_id: randomUUID() };
    await expect(insert({ ...row, account_id: account.accountId })).rejects.toMatchObject({ code: BROKEN_CHECK });
  });
});

test('the service cannot change the amount, month or owner of a hold', async () => {
  const account = await path.makeAccount();
  await path.begin(account);
  for (const change of ['amount = 1', "month = '2020-01-01'", 'account_id = gen_random_uuid()', 'key_id = NULL']) {
    await expect(db.pool.query(`UPDATE hold SET ${change}`)).rejects.toMatchObject({ code: NO_RIGHT });
  }
  await expect(db.pool.query('DELETE FROM hold')).rejects.toMatchObject({ code: NO_RIGHT });
  await expect(db.pool.query('DELETE FROM generation')).rejects.toMatchObject({ code: NO_RIGHT });
});

test('a hold closes only once', async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  await path.cancel(account, id);
  const closeAgain = db.pool.query('SELECT close_hold(p_generation => $1, p_charged => 0)', [id]);
  await expect(closeAgain).rejects.toThrow(`the hold of ${id} is not open`);
});
