import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createDb, type Db } from '../../platform/db.ts';
import { findWrongSettings } from './find-wrong-settings.ts';

const { url } = await openTestDatabase();

/** One connection as a role of the service opens it. */
async function withConnection<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = createDb({ url, applicationName: 'settings-test', maxConnections: 1 });
  try {
    return await work(db);
  } finally {
    await db.pool.end();
  }
}

test('a connection of the service has all settings that it asked for', async () => {
  expect(await withConnection((db) => findWrongSettings({ db }))).toEqual([]);
});

test('settings that a pooler did not pass on are found', async () => {
  const wrong = await withConnection(async (db) => {
    await db.pool.query("SET statement_timeout = 0; SET TimeZone = 'Europe/Berlin'");
    return findWrongSettings({ db });
  });
  expect(wrong).toEqual([
    { name: 'statement_timeout', expected: '5000' },
    { name: 'TimeZone', expected: 'UTC' },
  ]);
});
