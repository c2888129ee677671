import { lockAccount } from '@atelier/server/domain/accounts/lock-account.ts';
import { type Switch, setSwitch } from '@atelier/server/domain/operator/set-switch.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 1, workers: 0 });
});
afterEach(() => stack.assertBooks());
afterAll(() => stack?.stop());

const throwSwitch = (change: Switch) => withTx(stack.db, (tx) => setSwitch(tx, change, 'test'));

test('idempotency comes first: in maintenance, on a disabled channel and with a locked account a repeat returns 200, another body 409', async () => {
  const { url } = stack.api();
  const account = await makeAccount(stack);
  const request = { key: account.key, idempotencyKey: newIdempotencyKey() };
  const first = await submit(url, request);
  expect(first.status).toBe(201);

  const expectRepeat = async (refusal: string) => {
    await until(`a new submit is rejected with ${refusal}`, async () => {
      const { body } = await submit(url, { key: account.key });
      return (body as unknown as { code?: string }).code === refusal;
    });
    const repeat = await submit(url, request);
    expect([repeat.status, repeat.body.id]).toEqual([200, first.body.id]);
    expect(repeat.body.coinsQuoted).toBe(first.body.coinsQuoted);
    for (const json of [{}, [], { modelId: 'nothing' }, { modelId: 'canvas', params: {}, unknown: 1 }]) {
      const other = await call(url, 'POST /v1/generations', {
        key: account.key,
        headers: { 'idempotency-key': request.idempotencyKey },
        json,
      });
      expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
    }
  };
  await throwSwitch({ kind: 'maintenance', message: 'Back at noon.' });
  await expectRepeat('maintenance');
  await throwSwitch({ kind: 'maintenance', message: null });
  await throwSwitch({ kind: 'channel', channel: 'api', closed: true });
  await expectRepeat('channel_disabled');
  await throwSwitch({ kind: 'channel', channel: 'api', closed: false });
  await until('the channel is enabled', async () => (await submit(url, { key: account.key })).status === 201);
  await withTx(stack.db, (tx) =>
    lockAccount(tx, { accountId: account.accountId, locked: true, reason: 'test', actor: 'test' }),
  );
  await expectRepeat('account_locked');
});
