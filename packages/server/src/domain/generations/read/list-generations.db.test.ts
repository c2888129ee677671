import type { ListGenerationsQuery } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createMoneyPath, type PathAccount, type PathSubmission } from '../testing/create-money-path.ts';
import { createPathServices } from '../testing/create-path-services.ts';
import { listGenerations } from './list-generations.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const services = createPathServices(db);

const list = (account: PathAccount, query: ListGenerationsQuery = {}) =>
  listGenerations(services, account.accountId, query);

/** Generations one microsecond apart, a difference that a Date cannot hold; newest first, as in the list. */
async function beginMany(account: PathAccount, count: number, given: (n: number) => PathSubmission = () => ({})) {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = await path.begin(account, given(n));
    await owner.pool.query(
      `UPDATE generation SET created_at = date_trunc('hour', now()) - interval '1 hour' + $2 * interval '1 microsecond' WHERE id = $1`,
      [id, n],
    );
    ids.unshift(id);
  }
  return ids;
}

async function walk(
  account: PathAccount,
  query: ListGenerationsQuery,
  between: () => Promise<unknown> = async () => {},
) {
  const pages: string[][] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await list(account, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page.items.map(({ id }) => id));
    if (page.nextCursor === null) return pages;
    cursor = page.nextCursor;
    await between();
  }
}

describe('pages', () => {
  test.each([1, 2, 3, 7, 10])('of %i contain every row once, to the microsecond', async (limit) => {
    const account = await path.makeAccount();
    const ids = await beginMany(account, 7);
    const pages = await walk(account, { limit });
    expect(pages.flat()).toEqual(ids);
    expect(pages).toHaveLength(Math.ceil(7 / limit));
  });

  test('order rows with equal times by id', async () => {
    const account = await path.makeAccount();
    await beginMany(account, 6);
    await owner.pool.query(`UPDATE generation SET created_at = date_trunc('hour', now()) WHERE account_id = $1`, [
      account.accountId,
    ]);
    const ids = (await walk(account, { limit: 2 })).flat();
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(6);
  });

  test('neither skip nor repeat rows while new ones are created and old ones end', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const ids = await beginMany(account, 9);
    const oldest = [...ids].reverse();
    let step = 0;
    const seen = await walk(account, { limit: 2 }, async () => {
      await path.begin(account);
      await path.cancel(account, oldest[step]!);
      step += 1;
    });
    expect(seen.flat()).toEqual(ids);
  });

  test('have 30 rows by default, and the last has no cursor', async () => {
    const account = await path.makeAccount();
    const empty = await list(account);
    expect(empty).toEqual({ items: [], nextCursor: null });
    for (let n = 0; n < 31; n += 1) await path.begin(account);
    const page = await list(account);
    expect(page.items).toHaveLength(30);
    expect((await list(account, { cursor: page.nextCursor! })).items).toHaveLength(1);
  });
});

describe('a filter', () => {
  test('shows matching rows, in every combination, over all pages', async () => {
    const account = await path.makeAccount({ runLimit: 20 });
    const ids = await beginMany(account, 12, (n) => ({
      modelId: n % 2 === 0 ? 'canvas' : 'clip',
      modality: n % 2 === 0 ? 'image' : 'video',
      workspace: n % 3 === 0 ? 'tools' : 'image',
    }));
    const oldestFirst = [...ids].reverse();
    for (const n of [0, 1, 2]) await path.take(oldestFirst[n]!);
    for (const n of [3, 4]) await path.cancel(account, oldestFirst[n]!);
    await path.finish(oldestFirst[5]!);
    await path.finish(oldestFirst[6]!, { error: 'internal' });
    const fits = (test: (n: number) => boolean) => oldestFirst.filter((_, n) => test(n)).reverse();
    const shown = async (query: ListGenerationsQuery) => (await walk(account, { ...query, limit: 2 })).flat();
    expect(await shown({ status: 'processing' })).toEqual(fits((n) => n < 3));
    expect(await shown({ status: 'canceled' })).toEqual(fits((n) => n === 3 || n === 4));
    expect(await shown({ active: true })).toEqual(fits((n) => n < 3 || n > 6));
    expect(await shown({ modelId: 'clip' })).toEqual(fits((n) => n % 2 === 1));
    expect(await shown({ modality: 'image', workspace: 'tools' })).toEqual(fits((n) => n % 6 === 0));
    expect(await shown({ status: 'queued', active: true, modality: 'video', modelId: 'clip' })).toEqual(
      fits((n) => n > 6 && n % 2 === 1),
    );
  });

  test('active=false is the same as omitting it, also for the cursor', async () => {
    const account = await path.makeAccount({ runLimit: 20 });
    const ids = await beginMany(account, 4);
    await path.cancel(account, ids[1]!);
    const all = await list(account, { active: false });
    expect(all.items.map(({ id }) => id)).toEqual(ids);
    expect((await list(account, { active: true })).items).toHaveLength(3);
    const { nextCursor } = await list(account, { limit: 1, active: false });
    expect((await list(account, { cursor: nextCursor! })).items.map(({ id }) => id)).toEqual(ids.slice(1));
  });
});

describe('a cursor', () => {
  const refusal = { code: 'invalid_params', issues: [{ path: 'cursor', message: expect.any(String) }] };

  test('is refused for another account', async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    await beginMany(account, 3);
    await beginMany(other, 3);
    const { nextCursor } = await list(account, { limit: 1 });
    await expect(list(other, { limit: 1, cursor: nextCursor! })).rejects.toMatchObject(refusal);
  });

  test('is refused with other filters, but accepted with another limit', async () => {
    const account = await path.makeAccount();
    const ids = await beginMany(account, 4);
    const { nextCursor } = await list(account, { limit: 1, status: 'queued' });
    for (const other of [{}, { status: 'failed' }, { status: 'queued', active: true }] as const) {
      await expect(list(account, { ...other, cursor: nextCursor! })).rejects.toMatchObject(refusal);
    }
    const rest = await list(account, { limit: 50, status: 'queued', cursor: nextCursor! });
    expect(rest.items.map(({ id }) => id)).toEqual(ids.slice(1));
  });

  test('cannot be forged', async () => {
    const account = await path.makeAccount();
    await beginMany(account, 2);
    const { nextCursor } = await list(account, { limit: 1 });
    const cursor = nextCursor!;
    for (let at = 0; at < cursor.length; at += 1) {
      const other = `${cursor.slice(0, at)}${cursor[at] === 'x' ? 'y' : 'x'}${cursor.slice(at + 1)}`;
      await expect(list(account, { limit: 1, cursor: other })).rejects.toMatchObject(refusal);
    }
  });
});

test('an account does not see generations of other accounts', async () => {
  const [account, other] = [await path.makeAccount(), await path.makeAccount()];
  await beginMany(account, 2);
  expect((await list(other)).items).toEqual([]);
});
