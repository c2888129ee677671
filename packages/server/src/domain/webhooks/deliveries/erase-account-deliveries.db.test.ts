import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withTx } from '../../../platform/db.ts';
import { beginErasure, eraseAccountGenerations } from '../../generations/erase-account-generations.ts';
import { createMoneyPath } from '../../generations/testing/create-money-path.ts';
import { updateEndpoint } from '../endpoints/update-endpoint.ts';
import { createWebhookSetup, urlPolicy, type WebhookSetup } from '../testing/create-webhook-setup.ts';
import { startReceiver } from '../testing/start-receiver.ts';
import { eraseAccountDeliveries } from './erase-account-deliveries.ts';

const database = await openTestDatabase();
const { db, owner } = database;
const path = createMoneyPath(database);
const actor = 'tester';
let setup: WebhookSetup;

beforeAll(async () => {
  setup = await createWebhookSetup(database);
});
afterAll(() => setup.close());

test('erasure covers audit log URLs, response excerpts and idempotency keys', async () => {
  const receiver = await startReceiver();
  receiver.answer = (_request, response) => void response.writeHead(500).end('thank you, Ada Lovelace');
  const [leaving, staying] = [await path.makeAccount(), await path.makeAccount()];
  const url = `${receiver.url}/hooks/ada`;
  for (const account of [leaving, staying]) {
    const { id } = await setup.addEndpoint({ accountId: account.accountId, url });
    const change = { accountId: account.accountId, endpointId: id, actor, url: `${url}-lovelace` };
    await withTx(db, (tx) => updateEndpoint(tx, { urlPolicy }, change));
    await path.finish(await path.begin(account));
  }
  await setup.work();
  const said = async ({ accountId }: { accountId: string }) => {
    const rows = await path.read<{ said: string }>(
      `SELECT to_jsonb(x)::text AS said FROM audit_log x WHERE account_id = $1
       UNION ALL SELECT to_jsonb(x)::text FROM delivery x WHERE account_id = $1
       UNION ALL SELECT to_jsonb(a)::text FROM attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.account_id = $1
       UNION ALL SELECT to_jsonb(x)::text FROM webhook_endpoint x WHERE account_id = $1
       UNION ALL SELECT to_jsonb(x)::text FROM generation x WHERE account_id = $1`,
      [accountId],
    );
    return rows.map((row) => row.said).join('\n');
  };
  const keysOf = ({ accountId }: { accountId: string }) =>
    path.read<{ id: string; key: string }>('SELECT id, idempotency_key AS key FROM generation WHERE account_id = $1', [
      accountId,
    ]);
  const [before] = await keysOf(leaving);
  expect(await said(leaving)).toContain('Ada Lovelace');
  expect(await said(leaving)).toContain('hooks/ada');

  const { accountId } = leaving;
  await beginErasure({ db }, { accountId, actor });
  await eraseAccountGenerations({ db, wake: () => {} }, accountId);
  expect(await eraseAccountDeliveries({ db }, accountId)).toEqual({ deliveries: 1 });
  const words = await said(leaving);
  expect(words).not.toMatch(/Ada Lovelace|hooks\/ada/i);
  expect(words).not.toContain(before?.key);
  expect(await keysOf(leaving)).toEqual([{ id: before?.id, key: before?.id }]);
  expect(await said(staying)).toContain('Ada Lovelace');
  // What happened, when and by whom stays.
  const audit = await path.read<{ actor: string; action: string; detail: { endpointId: string } }>(
    `SELECT actor, action, detail FROM audit_log WHERE account_id = $1 AND action LIKE 'webhook.%' ORDER BY id`,
    [accountId],
  );
  expect(audit.map(({ action }) => action)).toEqual(['webhook.created', 'webhook.updated']);
  expect(audit[0]?.detail.endpointId).toMatch(/^[0-9a-f-]{36}$/);
  expect(audit[0]?.detail).toMatchObject({ events: expect.arrayContaining(['generation.failed']) });
  expect(await setup.work(), 'nothing is sent any more').toBe(0);
  const [delivery] = await path.read('SELECT status, reason, next_at FROM delivery WHERE account_id = $1', [accountId]);
  expect(delivery).toEqual({ status: 'stopped', reason: 'erased', next_at: null });
  await receiver.close();
});

test('an attempt that ends after the erasure stores no response and no request', async () => {
  const receiver = await startReceiver();
  const account = await path.makeAccount();
  const { accountId } = account;
  await setup.addEndpoint({ accountId, url: `${receiver.url}/hooks/ada` });
  await path.finish(await path.begin(account));
  receiver.answer = async (_request, response) => {
    await beginErasure({ db }, { accountId, actor });
    await eraseAccountDeliveries({ db }, accountId);
    response.writeHead(500).end('thank you, Ada Lovelace');
  };
  await setup.work();
  const [attempt] = await path.read(
    `SELECT status_code, excerpt, error, sent_url, sent_body FROM attempt a JOIN delivery d ON d.id = a.delivery_id
     WHERE d.account_id = $1`,
    [accountId],
  );
  expect(attempt).toEqual({ status_code: 500, excerpt: null, error: 'erased', sent_url: null, sent_body: null });
  await receiver.close();
});

test('only texts can be removed from the audit log, and not by the service itself', async () => {
  const { accountId } = await path.makeAccount();
  await owner.pool.query(
    `INSERT INTO audit_log (actor, action, account_id, detail) VALUES ('a', 'b', $1, '{"url": "https://x.test/ada", "coins": 5}')`,
    [accountId],
  );
  const change = (set: string) =>
    owner.pool.query(`UPDATE audit_log SET ${set} WHERE account_id = $1 AND actor = 'a'`, [accountId]);
  for (const set of [`detail = '{"coins": 6}'`, `detail = '{}'`, `action = 'c', detail = '{"coins": 5}'`]) {
    await expect(change(set)).rejects.toThrow('audit_log is append-only');
  }
  await db.pool.query('SELECT erase_audit(p_account => $1)', [accountId]);
  expect(
    await path.read('SELECT detail FROM audit_log WHERE account_id = $1 AND actor = $2', [accountId, 'a']),
  ).toEqual([{ detail: { url: 'https://x.test/ada', coins: 5 } }]);
  await change(`detail = '{"coins": 5}'`);
});
