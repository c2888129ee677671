import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createDb } from '../../platform/db.ts';
import { describeDatabaseRole } from './describe-database-role.ts';

const { db, owner, desk, url } = await openTestDatabase();

test('a plain member of atelier_app has the rights of the service, and the role of the desk has not', async () => {
  expect(await describeDatabaseRole({ db })).toBe('service');
  expect(await describeDatabaseRole({ db: desk })).toBe(null);
});

test('a superuser is reported', async () => {
  expect(await describeDatabaseRole({ db: owner })).toBe('superuser');
});

test('the owner of the tables is reported, and so is a member of the owner', async () => {
  const names = ['owner', 'member'].map((name) => `role_${name}_${randomBytes(4).toString('hex')}`);
  const [ownerName, memberName] = names;
  await owner.pool.query(`CREATE ROLE ${ownerName} LOGIN; CREATE ROLE ${memberName} LOGIN IN ROLE ${ownerName}`);
  const before = await owner.pool.query<{ name: string }>(
    `SELECT relowner::regrole::text AS name FROM pg_class WHERE oid = 'transfer'::regclass`,
  );
  try {
    await owner.pool.query(`ALTER TABLE transfer OWNER TO ${ownerName}`);
    for (const name of names) {
      const as = new URL(url);
      as.username = name;
      const connection = createDb({ url: String(as), applicationName: 'db-test', maxConnections: 1 });
      expect(await describeDatabaseRole({ db: connection })).toBe('owner');
      await connection.pool.end();
    }
  } finally {
    await owner.pool.query(`ALTER TABLE transfer OWNER TO ${before.rows[0]?.name}`);
    await owner.pool.query(`DROP ROLE ${memberName}; DROP ROLE ${ownerName}`);
  }
});
