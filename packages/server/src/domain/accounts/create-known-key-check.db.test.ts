import { randomUUID } from 'node:crypto';
import { SCOPES } from '@atelier/contract';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { type Db, withTx } from '../../platform/db.ts';
import { newApiKey } from './api-key.ts';
import { createAccount } from './create-account.ts';
import { createApiKey } from './create-api-key.ts';
import { createKnownKeyCheck } from './create-known-key-check.ts';

const { db } = await openTestDatabase();

const unknownKey = () => newApiKey({ cell: 'c1', mode: 'test' }).key;
const makeKey = () =>
  withTx(db, async (tx) => {
    const accountId = await createAccount(tx, { ownerId: randomUUID(), mode: 'test', name: 'test', rateLimit: 300 });
    const options = { accountId, name: 'test', scopes: SCOPES, monthlyCap: null, rateLimit: 120 };
    return (await createApiKey(tx, 'c1', options)).key;
  });

test('a thousand concurrent unknown keys cost a few statements, and the valid key among them is found', async () => {
  let statements = 0;
  const counted: Db = {
    ...db,
    query: (statement, values) => {
      statements += 1;
      return db.query(statement, values);
    },
  };
  const isKnown = createKnownKeyCheck({ db: counted });
  const valid = await makeKey();
  const keys = [...Array.from({ length: 1_000 }, unknownKey), valid];
  const known = await Promise.all(keys.map((key) => isKnown(key)));
  expect(known.filter(Boolean)).toHaveLength(1);
  expect(known.at(-1)).toBe(true);
  expect(statements).toBeLessThanOrEqual(4);
  statements = 0;
  expect(await isKnown(valid), 'a known key is not looked up again').toBe(true);
  expect(await isKnown('not-a-key')).toBe(false);
  expect(statements).toBe(0);
});
