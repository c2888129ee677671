import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createMoneyPath, type PathAccount } from '../generations/testing/create-money-path.ts';
import { createPathServices } from '../generations/testing/create-path-services.ts';
import { listEvents } from './list-events.ts';
import { listRecentEvents } from './list-recent-events.ts';

const database = await openTestDatabase();
const path = createMoneyPath(database);
const services = createPathServices(database.db);

/** Waits until the feed shows this many events: other tests of this server may delay it. */
async function makeEvents(account: PathAccount, count: number): Promise<string[]> {
  for (let n = 0; n < count; n += 1) await path.finish(await path.begin(account));
  for (;;) {
    const { items } = await listEvents(services, account.accountId, { limit: 100 });
    if (items.length === count) return items.map(({ id }) => id);
    await sleep(5);
  }
}

test('the pages are the feed in the opposite order', async () => {
  const account = await path.makeAccount();
  const feed = await makeEvents(account, 7);
  for (const limit of [1, 3, 7, 10]) {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await listRecentEvents(services, account.accountId, {
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(feed.toReversed());
  }
});

test('a cursor is bound to its account and cannot be forged', async () => {
  const [account, other] = [await path.makeAccount(), await path.makeAccount()];
  await makeEvents(account, 2);
  const { nextCursor } = await listRecentEvents(services, account.accountId, { limit: 1 });
  for (const [accountId, cursor] of [
    [other.accountId, nextCursor!],
    [account.accountId, `${nextCursor!.slice(0, -2)}xx`],
    [account.accountId, 'x'],
  ] as const) {
    await expect(listRecentEvents(services, accountId, { cursor })).rejects.toMatchObject({ code: 'invalid_params' });
  }
  expect(await listRecentEvents(services, other.accountId, {})).toEqual({ items: [], nextCursor: null });
});
