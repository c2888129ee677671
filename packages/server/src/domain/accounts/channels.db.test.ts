import { SCOPES } from '@atelier/contract';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { withTx } from '../../platform/db.ts';
import { getGeneration } from '../generations/read/get-generation.ts';
import { listGenerations } from '../generations/read/list-generations.ts';
import { createMoneyPath } from '../generations/testing/create-money-path.ts';
import { callerOf, createPathServices } from '../generations/testing/create-path-services.ts';
import { createAuthenticateKey } from './authenticate-key.ts';
import type { Caller } from './caller.ts';
import { createApiKey } from './create-api-key.ts';
import { getAccount } from './get-account.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const services = createPathServices(db);

test('channels: one key on two channels sees the channel of each request, also concurrently and from the cache', async () => {
  const { accountId } = await path.makeAccount();
  const { key } = await withTx(db, (tx) => createApiKey(tx, 'c1', { accountId, name: 'both', scopes: SCOPES }));
  const authenticate = createAuthenticateKey({ db });
  for (let round = 0; round < 2; round += 1) {
    const callers = await Promise.all((['api', 'mcp', 'api'] as const).map((channel) => authenticate(key, channel)));
    expect(callers.map(({ channel }) => channel)).toEqual(['api', 'mcp', 'api']);
    const shown = await Promise.all(callers.map((caller) => getAccount(services, caller)));
    expect(shown.map(({ channel }) => channel)).toEqual(['api', 'mcp', 'api']);
  }
});

test('channels: a session without a key has key null, and submits, lists and settles', async () => {
  const account = await path.makeAccount({ coins: 100 });
  const caller: Caller = { ...callerOf(account), keyId: null, channel: 'web', keyRateLimit: 300 };
  const id = await path.begin(account, { keyId: null, channel: 'web' });
  await path.finish(id);
  expect(await getAccount(services, caller)).toMatchObject({
    key: null,
    channel: 'web',
    rateLimits: { key: { limit: 300 }, account: { limit: 300 } },
    balance: { available: 93, held: 0 },
  });
  expect((await listGenerations(services, account.accountId, {})).items).toMatchObject([{ id, status: 'succeeded' }]);
  expect(await getGeneration(services, { accountId: account.accountId, id })).toMatchObject({ coinsCharged: 7 });
});
