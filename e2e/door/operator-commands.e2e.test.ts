import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { call, submit } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';

const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));
const run = promisify(execFile);

describe('operator commands', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ services: inject('services'), workers: 0 });
  });
  afterAll(() => stack.stop());

  const operate = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [main, ...args, '--json'], { env: { ...stack.env } });
    return JSON.parse(stdout);
  };
  const fails = (...args: string[]) =>
    run(process.execPath, [main, ...args], { env: { ...stack.env } }).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    );

  test('an account is made, given coins, given a key, and can submit', async () => {
    const { accountId } = await operate('account', 'create', '--name', 'Studio', '--mode', 'test', '--coins', '10');
    const { key } = await operate('key', 'create', '--account', accountId, '--name', 'first');
    expect((await submit(stack.api().url, { key })).status).toBe(201);
    expect((await submit(stack.api().url, { key })).body).toMatchObject({ code: 'insufficient_coins' });
    await operate('account', 'grant', '--account', accountId, '--coins', '4', '--reason', 'a top-up');
    expect((await submit(stack.api().url, { key })).status).toBe(201);
    await operate('account', 'adjust', '--account', accountId, '--coins=-5', '--reason', 'a charge-back');
    const { body } = await call(stack.api().url, 'GET /v1/account', { key });
    expect(body.balance).toEqual({ available: -5, held: 14 });
    await stack.assertBooks();
  });

  test('a movement of coins keeps who and why', async () => {
    const { accountId } = await operate('account', 'create', '--name', 'Kept', '--mode', 'test');
    await operate('account', 'grant', '--account', accountId, '--coins', '3', '--reason', 'a gift', '--actor', 'Ada');
    const { rows } = await stack.db.pool.query('SELECT actor, reason FROM transfer WHERE account_id = $1', [accountId]);
    expect(rows).toEqual([{ actor: 'Ada', reason: 'a gift' }]);
  });

  test('a key is listed without its secret and ends when revoked', async () => {
    const { accountId } = await operate('account', 'create', '--name', 'Revoked', '--mode', 'test');
    const { id, key } = await operate('key', 'create', '--account', accountId, '--name', 'gone', '--scopes', 'read');
    const listed = await operate('key', 'list', '--account', accountId);
    expect(listed).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toContain(key);
    await operate('key', 'revoke', '--account', accountId, '--key', id);
    expect((await call(stack.api().url, 'GET /v1/generations', { key })).body).toMatchObject({
      code: 'api_key_revoked',
    });
  });

  test('a wrong command says what it needs and changes nothing', async () => {
    expect(await fails('account', 'grant', '--coins', '3')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--account is needed'),
    });
    expect(await fails('account', 'nonsense')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('main.ts account create'),
    });
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await fails('account', 'grant', '--account', unknown, '--coins', '3', '--reason', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such account'),
    });
  });

  test('a closed model leaves the list and comes back', async () => {
    await operate('switch', 'close-model', '--model', 'canvas');
    const ids = async () =>
      (await call(stack.api().url, 'GET /v1/models')).body.models.map((model: { id: string }) => model.id);
    await expect.poll(ids, { timeout: 6_000 }).not.toContain('canvas');
    await operate('switch', 'open-model', '--model', 'canvas');
    await expect.poll(ids, { timeout: 6_000 }).toContain('canvas');
  });
});
