import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { makeEndpoint } from './make-endpoint.ts';
import { type ReceiverProcess, startReceiverProcess } from './start-receiver-process.ts';

const ENDS = 200;
const BAR_P95_MS = 100;

let stack: Stack;
let receiver: ReceiverProcess;
let account: TestAccount;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([startStack({ services: inject('services') }), startReceiverProcess()]);
  account = await makeAccount(stack, { runLimit: 1 });
  await makeEndpoint(stack, { accountId: account.accountId, url: `${receiver.url}/idle/0` });
});
afterAll(async () => {
  receiver?.stop();
  await stack?.stop();
});

test(`an idle service sends the first byte to the receiver within ${BAR_P95_MS} ms of the commit, p95`, async () => {
  const { url } = stack.api();
  const { key } = account;
  // It keeps the only slot, so that later generations wait and the test can cancel them at a chosen time.
  const held = await submit(url, { key, prompt: 'sim:hold' });
  await until(
    'it runs',
    async () => (await call(url, `GET /v1/generations/${held.body.id}`, { key })).body.status === 'processing',
  );
  for (let n = 0; n < ENDS; n += 1) {
    const { body } = await submit(url, { key });
    expect((await call(url, `POST /v1/generations/${body.id}/cancel`, { key })).status).toBe(200);
    // Idle: no delivery is in progress when the next generation ends.
    await until('it arrived', async () => (await receiver.count()).count > n, 10_000, 5);
  }
  const { rows } = await stack.db.pool.query<{ id: string; at: number }>(
    `SELECT id, extract(epoch FROM created_at) * 1000 AS at FROM event WHERE account_id = $1`,
    [account.accountId],
  );
  const committed = new Map(rows.map(({ id, at }) => [id, Number(at)]));
  const waits = (await receiver.arrivals())
    .map(({ eventId, atMs }) => atMs - (committed.get(eventId) as number))
    .sort((a, b) => a - b);
  expect(waits).toHaveLength(ENDS);
  const at = (share: number) => waits[Math.ceil(waits.length * share) - 1] as number;
  console.log(
    `terminal commit to first byte, idle, ${ENDS} ends: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, max ${at(1).toFixed(1)} ms`,
  );
  expect(at(0.95)).toBeLessThanOrEqual(BAR_P95_MS);
  await stack.assertBooks();
});
