import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';

const { desk } = await openTestDatabase();

// What the desk may do is proved by its operations, which the tests of the desk run with this role.
test.each([
  ['create a key', 'INSERT INTO api_key DEFAULT VALUES'],
  ['create an operator', 'INSERT INTO desk_operator DEFAULT VALUES'],
  ['remove an operator', 'DELETE FROM desk_operator'],
  ['submit a generation', 'INSERT INTO generation DEFAULT VALUES'],
  ['settle a generation', `UPDATE generation SET status = 'succeeded'`],
  ['open a hold', 'INSERT INTO hold DEFAULT VALUES'],
  ['add an endpoint', 'INSERT INTO webhook_endpoint DEFAULT VALUES'],
  ['register a person', 'INSERT INTO person DEFAULT VALUES'],
  ['change a password', 'UPDATE person_credential SET password_hash = NULL'],
  ['rewrite the ledger', 'UPDATE transfer SET amount = 1'],
  ['delete from the ledger', 'DELETE FROM transfer'],
  ['change a balance', 'UPDATE account SET available = 1'],
  ['rewrite the audit log', `UPDATE audit_log SET actor = 'nobody'`],
  ['delete from the audit log', 'DELETE FROM audit_log'],
  ['enqueue a job', 'DELETE FROM pgboss.job'],
])('the role of the desk cannot %s', async (_what, statement) => {
  await expect(desk.pool.query(statement)).rejects.toThrow(/permission denied/);
});
