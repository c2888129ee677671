import { BudgetReached, MAX_BUDGETS } from '@atelier/contract/console';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import type { Mail } from '../../platform/mail.ts';
import { setMemberRole } from '../people/memberships.ts';
import { eraseAccountDeliveries } from '../webhooks/deliveries/erase-account-deliveries.ts';
import { listDeliveries } from '../webhooks/deliveries/list-deliveries.ts';
import { redeliver, redeliverFailed } from '../webhooks/deliveries/redeliver.ts';
import { sendTestEvent } from '../webhooks/deliveries/send-test-event.ts';
import { verifySignature } from '../webhooks/signatures/verify-signature.ts';
import { createWebhookSetup, type WebhookSetup } from '../webhooks/testing/create-webhook-setup.ts';
import { startReceiver } from '../webhooks/testing/start-receiver.ts';
import { createBudget, deleteBudget, forgetBudgets, listBudgets, updateBudget } from './budgets.ts';
import { mailBudgetAlert } from './mail-budget-alert.ts';
import { type BudgetAccount, createBudgetSetup } from './testing/create-budget-setup.ts';

const database = await openTestDatabase();
const setup = createBudgetSetup(database);
const { path, services } = setup;
const actor = 'tester';
let webhooks: WebhookSetup;

beforeAll(async () => {
  webhooks = await createWebhookSetup(database);
});
afterAll(() => webhooks.close());

function createMail(send: (mail: Mail) => void = () => {}) {
  const mails: Mail[] = [];
  const mail = {
    async send(each: Mail) {
      send(each);
      mails.push(each);
    },
  };
  return { mails, services: { ...services, mail, consoleUrl: 'https://console.example.com' } };
}

/** An account whose budget of 7 coins is used up, and reported to its owner. */
async function addReached(projectId = 'spring <b>'): Promise<BudgetAccount & { personId: string; budgetId: string }> {
  const account = await setup.addAccount();
  const personId = await setup.addMember(account, 'owner');
  const { id } = await setup.add(account, { projectId, coins: 7, alertPercents: [100] });
  await setup.charge(account, 1, projectId);
  return { ...account, personId, budgetId: id };
}

test('the list has what each project was charged in this month', async () => {
  const account = await setup.addAccount();
  const { accountId } = account;
  expect(await listBudgets(services, accountId)).toMatchObject({ items: [], isComplete: true });
  const made = await createBudget(services, { accountId, projectId: 'b', coins: 100, alertPercents: [100, 50], actor });
  expect(made).toMatchObject({
    projectId: 'b',
    coins: 100,
    alertPercents: [50, 100],
    spentCoins: 0,
    alertedPercent: null,
  });
  await setup.add(account, { projectId: 'a', coins: 7 });
  await setup.add(account, { projectId: null, coins: 30 });
  await setup.charge(account, 2, 'b');
  await setup.charge(account, 1, null);
  await setup.charge(account, 1, 'a');
  await setup.sweep();
  expect((await listBudgets(services, accountId)).items).toMatchObject([
    { projectId: null, spentCoins: 7, alertedPercent: null },
    { projectId: 'a', spentCoins: 7, alertedPercent: 100 },
    { projectId: 'b', spentCoins: 14, alertedPercent: null },
  ]);
  const changed = await updateBudget(services, { accountId, budgetId: made.id, coins: 14, actor });
  expect(changed).toMatchObject({ id: made.id, coins: 14, alertPercents: [50, 100], spentCoins: 14 });
  await deleteBudget(services, { accountId, budgetId: made.id, actor });
  expect((await listBudgets(services, accountId)).items).toHaveLength(2);
  const audit = await path.read<{ action: string; detail: object }>(
    `SELECT action, detail FROM audit_log WHERE account_id = $1 AND actor = $2 ORDER BY id`,
    [accountId, actor],
  );
  expect(audit).toEqual([
    { action: 'budget.created', detail: { budgetId: made.id, coins: 100, alertPercents: [50, 100] } },
    { action: 'budget.updated', detail: { budgetId: made.id, coins: 14 } },
    { action: 'budget.deleted', detail: { budgetId: made.id } },
  ]);
});

test('a project has one budget, and an account a limited number', async () => {
  const account = await setup.addAccount();
  const { accountId } = account;
  const add = (projectId: string | null) =>
    createBudget(services, { accountId, projectId, coins: 5, alertPercents: [100], actor });
  const twice = await Promise.allSettled([add('a'), add('a'), add(null), add(null)]);
  expect(twice.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(add('a')).rejects.toMatchObject({
    code: 'invalid_params',
    message: 'This project already has a budget. Change that one.',
  });
  await path.read(
    `INSERT INTO budget (id, account_id, project_id, coins, alert_percents)
     SELECT gen_random_uuid(), $1, 'p' || n, 1, '{100}' FROM generate_series(1, $2::int) n`,
    [accountId, MAX_BUDGETS - 3],
  );
  const last = await Promise.allSettled([add('y'), add('z')]);
  expect(last.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await listBudgets(services, accountId)).items).toHaveLength(MAX_BUDGETS);
});

test('a budget of another account does not exist', async () => {
  const [account, other] = [await setup.addAccount(), await setup.addAccount()];
  const { id: budgetId } = await setup.add(account, { coins: 7 });
  const { accountId } = other;
  await expect(updateBudget(services, { accountId, budgetId, coins: 9, actor })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(deleteBudget(services, { accountId, budgetId, actor })).rejects.toMatchObject({ code: 'not_found' });
  expect((await listBudgets(services, account.accountId)).items).toMatchObject([{ id: budgetId, coins: 7 }]);
});

test('the mail says what was spent, where to look, and that nothing is stopped', async () => {
  const account = await addReached();
  await setup.sweep();
  const [alert] = await setup.mailsOf(account);
  const to = createMail();
  await mailBudgetAlert(to.services, alert!);
  expect(to.mails).toHaveLength(1);
  const [mail] = to.mails;
  expect(mail).toMatchObject({
    to: `${account.personId}@example.com`,
    subject: 'Project spring <b>: 100% of the budget reached',
  });
  expect(mail?.text).toContain(`was charged 7 of 7 coins in ${alert?.month} (UTC)`);
  expect(mail?.text).toContain(`https://console.example.com/accounts/${account.accountId}/budgets`);
  expect(mail?.text).toContain('Nothing is stopped');
  expect(mail?.html).toContain('Project spring &lt;b&gt; of Northlight');
});

test('no mail to someone who is no longer a payer, nor about a deleted budget', async () => {
  const account = await addReached();
  const second = await setup.addMember(account, 'billing');
  await setup.sweep();
  const alerts = await setup.mailsOf(account);
  await setMemberRole(services, { accountId: account.accountId, personId: second, role: 'viewer', actor });
  const to = createMail();
  for (const alert of alerts) await mailBudgetAlert(to.services, alert);
  expect(to.mails.map((mail) => mail.to)).toEqual([`${account.personId}@example.com`]);
  await deleteBudget(services, { accountId: account.accountId, budgetId: account.budgetId, actor });
  for (const alert of alerts) await mailBudgetAlert(to.services, alert);
  expect(to.mails).toHaveLength(1);
});

test('a mail that the server delays returns to the queue without its address; a refused one does not', async () => {
  const account = await addReached();
  await setup.sweep();
  const [alert] = await setup.mailsOf(account);
  const fail = (responseCode: number) =>
    createMail(({ to }) => {
      throw Object.assign(new Error(`${responseCode} ${to}`), { responseCode });
    });
  const delayed = mailBudgetAlert(fail(451).services, alert!).catch((error: Error) => error.message);
  expect(await delayed).toBe('the mail server did not accept a budget alert');
  await mailBudgetAlert(fail(550).services, alert!);
});

test('the alert reaches endpoints that subscribe: signed, retried, listed and sent again', async () => {
  const receiver = await startReceiver();
  const account = await addReached('spring');
  const { accountId } = account;
  const endpoint = await webhooks.addEndpoint({ accountId, url: receiver.url, events: ['budget.reached'] });
  const usual = await webhooks.addEndpoint({ accountId, url: `${receiver.url}/usual` });
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  expect(await setup.sweep()).toBe(1);
  await webhooks.work();
  const log = () => listDeliveries(webhooks.services, { accountId, endpointId: endpoint.id });
  const [delivery] = await log();
  expect(delivery).toMatchObject({ status: 'pending', eventType: 'budget.reached', generationId: null, isTest: false });
  receiver.answer = (_request, response) => void response.writeHead(200).end();
  await redeliver(webhooks.services, { accountId, deliveryId: delivery!.id, actor });
  await webhooks.work();
  expect(await log()).toMatchObject([{ status: 'delivered', round: 2 }]);

  expect(receiver.received.map((request) => request.path)).toEqual(['/', '/']);
  for (const { headers, body } of receiver.received) {
    const sent = JSON.parse(String(body));
    expect(Compile(BudgetReached).Check(sent)).toBe(true);
    expect(sent).toMatchObject({ id: delivery!.eventId, data: { budget: { projectId: 'spring', percent: 100 } } });
    expect(headers['service-event-type']).toBe('budget.reached');
    const header = String(headers['service-signature']);
    const check = { secret: endpoint.secret, header, body, nowSeconds: Date.now() / 1_000 };
    expect(verifySignature(check)).toEqual({ ok: true });
  }
  expect(await listDeliveries(webhooks.services, { accountId, endpointId: usual.id })).toEqual([]);

  await path.read(`UPDATE delivery SET status = 'held', finished_at = NULL WHERE account_id = $1`, [accountId]);
  const since = new Date(Date.now() - 3_600_000);
  const again = await redeliverFailed(webhooks.services, { accountId, endpointId: endpoint.id, since, actor });
  expect(again).toMatchObject({ redelivered: 1 });
  await webhooks.work();
  await receiver.close();
});

test('a test of the event is marked and about no budget', async () => {
  const receiver = await startReceiver();
  const { accountId } = await setup.addAccount();
  const endpoint = await webhooks.addEndpoint({ accountId, url: receiver.url, events: ['budget.reached'] });
  await sendTestEvent(webhooks.services, { accountId, endpointId: endpoint.id, type: 'budget.reached', actor });
  await webhooks.work();
  const sent = receiver.received.map(({ body }) => JSON.parse(String(body)));
  expect(sent).toMatchObject([{ type: 'budget.reached', test: true }]);
  expect(Compile(BudgetReached).Check(sent[0])).toBe(true);
  await receiver.close();
});

test('an erasure removes the names of projects from budgets and from deliveries', async () => {
  const receiver = await startReceiver();
  const account = await addReached('Ada Lovelace');
  const { accountId } = account;
  for (const status of [200, 500]) {
    const endpoint = await webhooks.addEndpoint({
      accountId,
      url: `${receiver.url}/${status}`,
      events: ['budget.reached'],
    });
    expect(endpoint.id).toBeDefined();
  }
  receiver.answer = ({ path: asked }, response) => void response.writeHead(Number(asked.slice(1))).end();
  await setup.sweep();
  await webhooks.work();
  const said = async () => {
    const rows = await path.read<{ said: string }>(
      `SELECT to_jsonb(b)::text AS said FROM budget b WHERE account_id = $1
       UNION ALL SELECT to_jsonb(d)::text FROM delivery d WHERE account_id = $1
       UNION ALL SELECT to_jsonb(a)::text FROM attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.account_id = $1
       UNION ALL SELECT to_jsonb(l)::text FROM audit_log l WHERE account_id = $1
       UNION ALL SELECT to_jsonb(j)::text FROM pgboss.job j WHERE data ->> 'accountId' = $1::text`,
      [accountId],
    );
    return rows.map((row) => row.said).join('\n');
  };
  expect((await said()).match(/Ada Lovelace/g)?.length).toBeGreaterThanOrEqual(4);
  await eraseAccountDeliveries(services, accountId);
  await forgetBudgets(services, accountId);
  expect(await said()).not.toContain('Ada Lovelace');
  const ended = await path.read('SELECT status, reason FROM delivery WHERE account_id = $1 ORDER BY status', [
    accountId,
  ]);
  expect(ended).toEqual([
    { status: 'delivered', reason: null },
    { status: 'stopped', reason: 'erased' },
  ]);
  await receiver.close();
});
