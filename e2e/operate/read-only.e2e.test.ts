import type { Generation } from '@atelier/contract';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { runMain } from './run-main.ts';

const MESSAGE = 'The database is moving. Back at noon.';
/** It still runs when every process has read the switch. */
const LONG = 'sim:ok:10000';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ services: inject('services') });
});
afterAll(() => stack?.stop());

async function operate(...args: string[]): Promise<void> {
  expect(await runMain(['switch', ...args, '--actor', 'Ada'], stack.env)).toMatchObject({ code: 0 });
}

test('read-only refuses every change, lets running work finish and queued work wait, and loses nothing', async () => {
  const { key } = await makeAccount(stack, { runLimit: 1 });
  const api = stack.api();
  const read = async (id: string) => (await call<Generation>(api.url, `GET /v1/generations/${id}`, { key })).body;
  const idempotencyKey = newIdempotencyKey();
  const running = (await submit(api.url, { key, prompt: LONG, idempotencyKey })).body;
  const waiting = (await submit(api.url, { key })).body;
  await until('the first one runs', async () => (await read(running.id)).status === 'processing');

  await operate('read-only-on', '--message', MESSAGE);
  const quote = () =>
    call(api.url, 'POST /v1/quotes', { key, json: { modelId: 'canvas', params: { prompt: 'sim:ok' } } });
  await until('the switch takes effect', async () => (await quote()).status === 503);
  expect(await quote()).toMatchObject({
    body: { code: 'maintenance', detail: MESSAGE },
    headers: { 'retry-after': '60' },
  });
  expect(await submit(api.url, { key })).toMatchObject({ status: 503, body: { code: 'maintenance' } });
  expect(await call(api.url, `POST /v1/generations/${waiting.id}/cancel`, { key })).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: MESSAGE },
    headers: { 'retry-after': '60' },
  });
  for (const path of ['/v1/account', '/v1/generations', '/v1/events', '/v1/models']) {
    expect((await call(api.url, `GET ${path}`, { key })).status).toBe(200);
  }
  expect(await submit(api.url, { key, prompt: LONG, idempotencyKey })).toMatchObject({
    status: 200,
    body: { id: running.id },
  });

  // The slot of the first is free when it ends, and the second has a job: only the switch keeps it waiting.
  await until('the running one has ended', async () => (await read(running.id)).status === 'succeeded');
  const { rows } = await stack.db.pool.query('SELECT admitted, status FROM generation WHERE id = $1', [waiting.id]);
  expect(rows).toEqual([{ admitted: true, status: 'queued' }]);
  for (const member of stack.members) expect((await fetch(`${member.metricsUrl}/readyz`)).status).toBe(200);

  await operate('read-only-off');
  await until('the waiting one runs and ends', async () => (await read(waiting.id)).status === 'succeeded');
  await until('submits work again', async () => (await submit(api.url, { key })).status === 201);
  const audit = await runMain(['audit', '--json'], stack.env);
  expect(audit.stdout).toContain('read-only');
  await stack.assertBooks();
});
