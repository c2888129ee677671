import { MAX_EXPORT_ROWS, type Transfer } from '@atelier/contract/console';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { withTx } from '../../platform/db.ts';
import { createMoneyPath, type PathAccount } from '../generations/testing/create-money-path.ts';
import { createPathServices } from '../generations/testing/create-path-services.ts';
import { adjustCoins } from './adjust-coins.ts';
import { exportLedger } from './export-ledger.ts';
import { listLedger } from './list-ledger.ts';

const database = await openTestDatabase();
const { db } = database;
const path = createMoneyPath(database);
const services = createPathServices(db);

/** Reads all pages. */
async function readAll(account: PathAccount, limit: number) {
  const pages = [await listLedger(services, account.accountId, { limit })];
  for (let cursor = pages[0]!.nextCursor; cursor !== null; cursor = pages.at(-1)!.nextCursor) {
    pages.push(await listLedger(services, account.accountId, { limit, cursor }));
  }
  return pages.flatMap(({ items }) => items);
}

async function readExport(account: PathAccount, options: { format: 'csv' | 'jsonl'; before?: number }) {
  const parts: string[] = [];
  const given = { accountId: account.accountId, format: options.format, before: options.before ?? null };
  for await (const part of exportLedger(services, given)) parts.push(part);
  return parts.join('');
}

async function makeHistory(): Promise<PathAccount> {
  const account = await path.makeAccount({ coins: 1_000 });
  await path.finish(await path.begin(account, { outputs: 3, projectId: 'spring, "2026"' }), { outputs: 1 });
  await path.finish(await path.begin(account), { error: 'internal' });
  await withTx(db, (tx) =>
    adjustCoins(tx, { accountId: account.accountId, coins: -5, actor: 'op', reason: 'secret', reference: 'INV-7' }),
  );
  await path.begin(account);
  return account;
}

test('the ledger is newest first, and each row has the balance after it', async () => {
  const account = await makeHistory();
  const items = await readAll(account, 100);
  const short = items.map(({ kind, availableChange, heldChange, availableAfter }) => [
    kind,
    availableChange,
    heldChange,
    availableAfter,
  ]);
  expect(short).toEqual([
    ['hold', -7, 7, 981],
    ['adjust', -5, 0, 988],
    ['release', 7, -7, 993],
    ['hold', -7, 7, 986],
    ['release', 14, -14, 993],
    ['capture', 0, -7, 979],
    ['hold', -21, 21, 979],
    ['grant', 1_000, 0, 1_000],
  ]);
  expect(items[0]!.availableAfter).toBe((await path.coinsOf(account)).available);
  expect(items[1]).toMatchObject({ reference: 'INV-7', generationId: null, modelName: null });
  expect(items[5]).toMatchObject({ modelName: 'Canvas', projectId: 'spring, "2026"' });
  // Who decided, and why, is for the operator.
  expect(JSON.stringify(items)).not.toContain('secret');
  for (const limit of [1, 3, 7, 8]) expect(await readAll(account, limit)).toEqual(items);
});

test('a transfer that arrives between two pages changes neither', async () => {
  const account = await makeHistory();
  const before = await readAll(account, 100);
  const first = await listLedger(services, account.accountId, { limit: 3 });
  await path.begin(account);
  const rest = await listLedger(services, account.accountId, { limit: 100, cursor: first.nextCursor! });
  expect([...first.items, ...rest.items]).toEqual(before);
});

test('a cursor is bound to its account and cannot be forged', async () => {
  const [account, other] = [await makeHistory(), await makeHistory()];
  const { nextCursor } = await listLedger(services, account.accountId, { limit: 1 });
  for (const [accountId, cursor] of [
    [other.accountId, nextCursor!],
    [account.accountId, `${nextCursor!.slice(0, -2)}xx`],
    [account.accountId, 'x'],
  ] as const) {
    await expect(listLedger(services, accountId, { cursor })).rejects.toMatchObject({ code: 'invalid_params' });
  }
});

test('an account without transfers has an empty ledger', async () => {
  const account = await path.makeAccount({ coins: 0 });
  expect(await listLedger(services, account.accountId, {})).toEqual({ items: [], nextCursor: null });
  expect(await readExport(account, { format: 'jsonl' })).toBe('');
});

test('the export has the rows of the ledger, and continues before a transfer', async () => {
  const account = await makeHistory();
  const transfers = (await readAll(account, 100)).map(({ availableAfter: _, ...transfer }): Transfer => transfer);
  const lines = (text: string) => text.trimEnd().split('\n');
  const jsonl = lines(await readExport(account, { format: 'jsonl' })).map((line) => JSON.parse(line) as Transfer);
  expect(jsonl).toEqual(transfers);
  const csv = lines(await readExport(account, { format: 'csv' }));
  expect(csv[0]).toBe('id,createdAt,kind,availableChange,heldChange,generationId,modelName,projectId,reference\r');
  expect(csv).toHaveLength(transfers.length + 1);
  expect(csv[6]).toContain(',capture,0,-7,');
  expect(csv[6]).toContain('"spring, ""2026"""');
  const later = await readExport(account, { format: 'jsonl', before: transfers[5]!.id });
  expect(lines(later).map((line) => JSON.parse(line) as Transfer)).toEqual(transfers.slice(6));
});

test('an export reads in batches up to its limit', async () => {
  const account = await path.makeAccount({ coins: 0 });
  await database.owner.pool.query(
    `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason)
     SELECT $1, 'grant', 'issued', 'available', 1, 'test', 'test' FROM generate_series(1, $2)`,
    [account.accountId, MAX_EXPORT_ROWS + 500],
  );
  let rows = 0;
  let largest = 0;
  let last = Number.POSITIVE_INFINITY;
  for await (const part of exportLedger(services, { accountId: account.accountId, format: 'jsonl', before: null })) {
    const ids = part
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Transfer).id);
    for (const id of ids) {
      expect(id).toBeLessThan(last);
      last = id;
    }
    rows += ids.length;
    largest = Math.max(largest, ids.length);
  }
  expect(rows).toBe(MAX_EXPORT_ROWS);
  expect(largest).toBeLessThanOrEqual(1_000);
});
