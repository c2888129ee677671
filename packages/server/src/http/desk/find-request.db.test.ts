import { randomUUID } from 'node:crypto';
import { SCOPES } from '@atelier/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { createMoneyPath } from '../../domain/generations/testing/create-money-path.ts';
import { forgetRequests, sweepRequestRecords } from '../../domain/operator/request-records.ts';
import { requestCommands } from '../../entry/operate/generation-commands.ts';
import type { OperatorContext } from '../../entry/operate/operator-command.ts';
import { withTx } from '../../platform/db.ts';
import { createTestConsole, type TestConsole, type TestPerson } from '../console/testing/create-test-console.ts';

const database = await openTestDatabase();
const path = createMoneyPath(database);
let console_: TestConsole;
let operator: TestPerson;
let accountId: string;
let key: string;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  operator = await console_.addOperator();
  ({ accountId } = await path.makeAccount());
  ({ key } = await withTx(database.db, (tx) => createApiKey(tx, 'c1', { accountId, name: 'a', scopes: SCOPES })));
});
afterAll(() => console_.close());

async function submit(params: object, idempotencyKey: string = randomUUID()) {
  const answer = await console_.publicApp.inject({
    method: 'POST',
    url: '/v1/generations',
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey },
    payload: { modelId: 'canvas', params, maxCoins: 100 },
  });
  return { status: answer.statusCode, requestId: answer.headers['x-request-id'] as string, body: answer.json() };
}

// biome-ignore lint/suspicious/noExplicitAny: the test checks the response
async function find(id: string): Promise<any> {
  const answer = await console_.callDesk(`GET /api/desk/find?id=${id}`, { cookie: operator.cookie });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

/** A record is written after the response. */
const findSoon = (id: string) =>
  vi.waitFor(async () => {
    const found = await find(id);
    expect(found.requests.map((each: { id: string }) => each.id)).toContain(id);
    return found;
  });

test('the id of a request leads to its generation, its attempts and the message of the provider', async () => {
  const idempotencyKey = randomUUID();
  const first = await submit({ prompt: 'a boat' }, idempotencyKey);
  const again = await submit({ prompt: 'a boat' }, idempotencyKey);
  const { id } = first.body;
  expect([first.status, again.status, again.body.id]).toEqual([201, 200, id]);
  await path.read(
    `INSERT INTO run_failure (generation_id, account_id, attempt, target, code, decision, message)
     VALUES ($1, $2, 1, 'comfyui/studio', 'internal', 'retry', 'CUDA out of memory on gpu-7')`,
    [id, accountId],
  );
  await findSoon(first.requestId);
  for (const each of [first.requestId, again.requestId, id]) {
    const found = await findSoon(each === id ? again.requestId : each);
    expect(found).toMatchObject({
      requests: [
        { id: first.requestId, accountId, operation: 'createGeneration', status: 201, code: null, generationId: id },
        { id: again.requestId, status: 200 },
      ],
      generation: { id, accountId, modelId: 'canvas', status: 'queued' },
      failures: [{ attempt: 1, target: 'comfyui/studio', message: 'CUDA out of memory on gpu-7' }],
    });
  }
  expect(await find(id)).toMatchObject({ generation: { id }, requests: [{}, {}] });
  // The same for a command.
  const context = { db: database.db, options: { request: again.requestId } } as unknown as OperatorContext;
  expect(await requestCommands.show?.run(context)).toMatchObject({
    generation: { id },
    providerMessage: 'CUDA out of memory on gpu-7',
    requests: [{ id: first.requestId }, { id: again.requestId }],
  });
});

test('the id of a refused request leads to its code and the paths of its issues', async () => {
  const refused = await submit({ prompt: 'a boat', num_outputs: 99 });
  expect(refused.status).toBe(400);
  expect(refused.body.instance).toBe(refused.requestId);
  expect(await findSoon(refused.requestId)).toMatchObject({
    requests: [{ status: 400, code: 'invalid_params', issuePaths: ['params.num_outputs'], generationId: null }],
    generation: null,
    failures: [],
  });
});

test('reads that succeed are not recorded, and an unknown id is found nowhere', async () => {
  const read = await console_.publicApp.inject({
    url: '/v1/account',
    headers: { authorization: `Bearer ${key}` },
  });
  const refused = await submit({ num_outputs: 99 });
  await findSoon(refused.requestId);
  for (const id of [read.headers['x-request-id'] as string, randomUUID()]) {
    expect(await find(id)).toEqual({ requests: [], generation: null, failures: [] });
  }
  const context = { db: database.db, options: { request: randomUUID() } } as unknown as OperatorContext;
  await expect(requestCommands.show?.run(context)).rejects.toThrow('There is no record of this request');
});

test('records are deleted after two weeks, and with their account', async () => {
  const old = await submit({ num_outputs: 99 });
  await findSoon(old.requestId);
  await path.read(`UPDATE request_record SET created_at = now() - interval '15 days' WHERE id = $1`, [old.requestId]);
  const young = await submit({ num_outputs: 99 });
  await findSoon(young.requestId);
  await sweepRequestRecords(database, new AbortController().signal);
  expect((await find(old.requestId)).requests).toEqual([]);
  expect((await find(young.requestId)).requests).toHaveLength(1);
  await forgetRequests(database, accountId);
  expect(await path.read('SELECT 1 FROM request_record WHERE account_id = $1', [accountId])).toEqual([]);
});
