import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import type { Db } from '../../platform/db.ts';
import { findWrongSettings } from './find-wrong-settings.ts';

const { db, owner } = await openTestDatabase();

test('a connection of the service has all settings that it asked for', async () => {
  expect(await findWrongSettings({ db })).toEqual([]);
});

test('settings that a pooler did not pass on are found', async () => {
  const client = await owner.pool.connect();
  try {
    await client.query("SET statement_timeout = 0; SET TimeZone = 'Europe/Berlin'");
    const query: Db['query'] = async ({ text }, values) => (await client.query(text, values as unknown[])).rows;
    expect(await findWrongSettings({ db: { ...owner, query } })).toEqual([
      { name: 'statement_timeout', expected: expect.stringMatching(/^[1-9]/) },
      { name: 'TimeZone', expected: 'UTC' },
    ]);
  } finally {
    await client.query('RESET ALL');
    client.release(true);
  }
});
