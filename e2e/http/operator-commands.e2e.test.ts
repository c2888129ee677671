import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { call, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { runMain } from '../operate/run-main.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('operator commands', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({
      services: inject('services'),
      env: {
        ACCOUNT_COINS: '7',
        ACCOUNT_TEST_COINS: '10',
        ACCOUNT_RUN_LIMIT: '3',
        ACCOUNT_RATE_LIMIT: '200',
        KEY_RATE_LIMIT: '90',
      },
    });
  });
  afterAll(() => stack.stop());

  const operate = async (...args: string[]) => {
    const { code, stdout, stderr } = await runMain([...args, '--json'], stack.env);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const fails = (...args: string[]) => runMain(args, stack.env);
  const makeAccount = (name: string) => operate('account', 'create', '--name', name, '--actor', 'Ada');
  const audit = async (account: string) =>
    (await operate('audit', '--account', account)).map(
      ({ actor, action }: Record<string, string>) => `${actor} ${action}`,
    );

  test('creating an account creates its live and test pair, with the default settings', async () => {
    const { ownerId, accountId, testAccountId } = await makeAccount('Studio');
    const { rows } = await stack.db.pool.query(
      'SELECT id, mode, available::int, run_limit, rate_limit, raised_limit FROM account WHERE owner_id = $1 ORDER BY mode',
      [ownerId],
    );
    const limits = { run_limit: 3, rate_limit: 200, raised_limit: null };
    expect(rows).toEqual([
      { id: accountId, mode: 'live', available: 7, ...limits },
      { id: testAccountId, mode: 'test', available: 10, ...limits },
    ]);
    const { key } = await operate('key', 'create', '--account', testAccountId, '--name', 'first');
    const { body } = await call(stack.api().url, 'GET /v1/account', { key });
    expect(body.rateLimits).toMatchObject({ key: { limit: 90 }, account: { limit: 200 } });
    expect((await submit(stack.api().url, { key })).status).toBe(201);
    expect((await submit(stack.api().url, { key })).body).toMatchObject({ code: 'insufficient_coins' });
  });

  test('raisedLimit, running limit and rate limits of accounts and keys have a command', async () => {
    const { testAccountId: account } = await makeAccount('Limits');
    const { id, key } = await operate('key', 'create', '--account', account, '--name', 'one');
    await operate(
      'account',
      'limit',
      '--account',
      account,
      '--running',
      '5',
      '--raised',
      '9',
      '--rate',
      '50',
      '--actor',
      'Ada',
    );
    await operate('key', 'limit', '--account', account, '--key', id, '--rate', '40', '--cap', '6', '--actor', 'Ada');
    const { body } = await call(stack.api().url, 'GET /v1/account', { key });
    expect(body).toMatchObject({
      concurrency: { limit: 5, raisedLimit: 9 },
      rateLimits: { key: { limit: 40 }, account: { limit: 50 } },
      key: { monthlySpendCapCoins: 6 },
    });
    expect(await operate('account', 'limit', '--account', account, '--raised', 'none')).toMatchObject({
      runLimit: 5,
      raisedLimit: null,
      rateLimit: 50,
    });
    expect(await audit(account)).toEqual(
      expect.arrayContaining(['Ada account.limits_changed', 'Ada key.cap_lowered', 'Ada account.created']),
    );
    await stack.assertBooks();
  });

  test('a grant has an idempotency reference and returns the new balance', async () => {
    const { testAccountId: account } = await makeAccount('Granted');
    const grant = (...more: string[]) =>
      operate('account', 'grant', '--account', account, '--reason', 'invoice 7', '--actor', 'Ada', ...more);
    const first = await grant('--coins', '5', '--reference', 'invoice-7');
    expect(first).toMatchObject({ available: 15, repeated: false });
    expect(await grant('--coins', '5', '--reference', 'invoice-7')).toEqual({ ...first, repeated: true });
    const other = await fails(
      'account',
      'grant',
      '--account',
      account,
      '--reason',
      'x',
      '--coins',
      '6',
      '--reference',
      'invoice-7',
    );
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('belongs to another movement') });
    expect(
      await operate('account', 'adjust', '--account', account, '--coins=-20', '--reason', 'a charge-back'),
    ).toMatchObject({
      available: -5,
    });
    const ledger = await operate('ledger', '--account', account);
    expect(ledger).toHaveLength(3);
    expect(ledger[1]).toMatchObject({
      kind: 'grant',
      amount: 5,
      actor: 'Ada',
      reason: 'invoice 7',
      reference: 'invoice-7',
    });
    await stack.assertBooks();
  });

  test('every change leaves an audit row with its actor: account, key, limits, coins, lock and switches', async () => {
    const { testAccountId: account } = await makeAccount('Audited');
    const act = (...args: string[]) => operate(...args, '--actor', 'Ada');
    const { id } = await act('key', 'create', '--account', account, '--name', 'gone', '--scopes', 'read');
    await act('account', 'grant', '--account', account, '--coins', '3', '--reason', 'a gift');
    await act('account', 'adjust', '--account', account, '--coins', '3', '--reason', 'a correction');
    await act('account', 'limit', '--account', account, '--running', '2');
    await act('key', 'limit', '--account', account, '--key', id, '--rate', '7');
    await act('key', 'revoke', '--account', account, '--key', id);
    await act('account', 'lock', '--account', account, '--reason', 'test');
    await act('account', 'unlock', '--account', account, '--reason', 'test');
    await act('account', 'erase', '--account', account, '--yes');
    expect((await audit(account)).reverse()).toEqual([
      'Ada account.created',
      'Ada coins.granted',
      'Ada key.created',
      'Ada coins.granted',
      'Ada coins.adjusted',
      'Ada account.limits_changed',
      'Ada key.limits_changed',
      'Ada key.revoked',
      'Ada account.locked',
      'Ada account.unlocked',
      'Ada account.erased',
    ]);
    await act('switch', 'close-channel', '--channel', 'mcp');
    expect(await operate('switch', 'list')).toMatchObject([{ name: 'channel.closed.mcp', value: true }]);
    await act('switch', 'open-channel', '--channel', 'mcp');
    expect((await operate('audit', '--limit', '2')).map(({ detail }: { detail: object }) => detail)).toEqual([
      { name: 'channel.closed.mcp', value: null },
      { name: 'channel.closed.mcp', value: true },
    ]);
  });

  test('an erasure requires confirmation', async () => {
    const { testAccountId: account } = await makeAccount('Kept');
    expect(await fails('account', 'erase', '--account', account)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('An erasure cannot be undone. Add --yes to confirm it'),
    });
    const { rows } = await stack.db.pool.query('SELECT name FROM account WHERE id = $1', [account]);
    expect(rows).toEqual([{ name: 'Kept' }]);
  });

  test('generation show has the attempts and the provider message; queue and offers show waiting work and its workers', async () => {
    const { testAccountId: account } = await makeAccount('Shown');
    const { key } = await operate('key', 'create', '--account', account, '--name', 'one');
    const { body } = await submit(stack.api().url, { key, prompt: 'sim:fail:unavailable' });
    const read = async () => (await call(stack.api().url, `GET /v1/generations/${body.id}`, { key })).body;
    await until('it failed', async () => (await read()).status === 'failed');
    const shown = await operate('generation', 'show', '--generation', body.id);
    expect(shown).toMatchObject({ id: body.id, accountId: account, status: 'failed' });
    expect(shown.failures.length).toBeGreaterThan(0);
    expect(shown.providerMessage).toEqual(expect.any(String));
    await submit(stack.api().url, { key, prompt: 'sim:ok:4000' });
    expect(await operate('queue')).toMatchObject([{ modelId: 'canvas', pool: 'run-simulator' }]);
    expect(await operate('offers')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ target: expect.stringMatching(/^local\//), ageSeconds: expect.any(Number) }),
      ]),
    );
    expect(await operate('workers')).toMatchObject([{ targets: expect.any(Array), unavailable: expect.any(Array) }]);
  });

  test('a key is listed without its secret and stops working when revoked', async () => {
    const { testAccountId: account } = await makeAccount('Revoked');
    const { id, key } = await operate('key', 'create', '--account', account, '--name', 'gone', '--scopes', 'read');
    const listed = await operate('key', 'list', '--account', account);
    expect(listed).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toContain(key);
    await operate('key', 'revoke', '--account', account, '--key', id);
    expect((await call(stack.api().url, 'GET /v1/generations', { key })).body).toMatchObject({
      code: 'api_key_revoked',
    });
  });

  test('a wrong command shows its usage, and a failed one the reason: no raw database error', async () => {
    expect(await fails('account', 'grant', '--account', 'nonsense', '--coins', '3', '--reason', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--account must be an id'),
    });
    expect(await fails('account', 'lock', '--account', UNKNOWN, '--reason', 'x')).toMatchObject({
      code: 1,
      stderr: 'There is no such account.\n',
    });
    const help = await runMain(['account', 'grant', '--help'], {});
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--reference') });
  });

  test('a closed model leaves the list and returns when opened', async () => {
    await operate('switch', 'close-model', '--model', 'canvas');
    const ids = async () =>
      (await call(stack.api().url, 'GET /v1/models')).body.models.map((model: { id: string }) => model.id);
    await expect.poll(ids, { timeout: 6_000 }).not.toContain('canvas');
    await operate('switch', 'open-model', '--model', 'canvas');
    await expect.poll(ids, { timeout: 6_000 }).toContain('canvas');
  });
});
