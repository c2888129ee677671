import { readFile } from 'node:fs/promises';
import { setSwitch } from '@atelier/server/domain/operator/set-switch.ts';
import { statement, withTx } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { connectMcp, type McpClient } from './mcp-client.ts';

const BUDGET = 60;
const TOOLS = [
  ...['list_models', 'get_model', 'quote', 'generate', 'get_generation', 'list_generations', 'cancel', 'upload'],
  'get_account',
];

let stack: Stack;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let picture: Buffer;

beforeAll(async () => {
  folder = await makeFolder();
  picture = await readFile(await makeFile(folder.dir, 'png'));
  stack = await startStack({
    services: inject('services'),
    apis: 2,
    cdns: 1,
    env: { MCP_DAILY_BUDGET_COINS: String(BUDGET) },
  });
});
afterAll(async () => {
  await stack?.stop();
  await folder?.remove();
});

async function countOf({ accountId }: TestAccount): Promise<{ generations: number; holds: number }> {
  const [row] = await stack.db.query<{ generations: number; holds: number }>(
    statement(
      'e2e_mcp_counts',
      `SELECT (SELECT count(*) FROM generation WHERE account_id = $1 AND channel = 'mcp')::int AS generations,
              (SELECT count(*) FROM hold WHERE account_id = $1)::int AS holds`,
    ),
    [accountId],
  );
  return row as { generations: number; holds: number };
}

async function finish(client: McpClient, id: string) {
  for (;;) {
    const result = await client.call('get_generation', { id });
    if (!['queued', 'processing'].includes(result.structuredContent.status)) return result;
  }
}

describe.each(['2025-11-25', '2026-07-28'] as const)('an agent that uses %s', (version) => {
  const connect = (account: TestAccount, headers: Record<string, string> = {}) =>
    connectMcp({ urls: [stack.api(0).url, stack.api(1).url], key: account.key, version, headers });

  test('calls every tool, and pays the quoted price', async () => {
    const account = await makeAccount(stack, { runLimit: 1 });
    const client = await connect(account);
    expect(await client.listTools()).toEqual(TOOLS);
    const { models } = (await client.call('list_models', { modality: 'image' })).structuredContent;
    expect(models.map(({ id }: { id: string }) => id)).toContain('real-esrgan-x2');
    const model = (await client.call('get_model', { id: 'real-esrgan-x2' })).structuredContent;
    expect(model.params.map(({ name }: { name: string }) => name)).toContain('image');

    const upload = (await client.call('upload', { data: picture.toString('base64') })).structuredContent;
    expect(upload).toMatchObject({ kind: 'image', mimeType: 'image/png' });
    const request = { modelId: 'real-esrgan-x2', params: { image: upload.id, upscale_factor: 2 } };
    const quote = (await client.call('quote', request)).structuredContent;
    const started = await client.call('generate', { ...request, quoteToken: quote.quoteToken });
    const { id } = started.structuredContent;
    const done = await finish(client, id);
    expect(done.structuredContent).toMatchObject({ status: 'succeeded', coinsCharged: quote.coins });

    const link = done.content.find(({ type }: { type: string }) => type === 'resource_link');
    const file = await fetch(link.uri);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, link.mimeType]);
    const image = done.content.find(({ type }: { type: string }) => type === 'image');
    expect(Buffer.from(image.data, 'base64').length).toBeGreaterThan(100);

    const held = await client.call('generate', { modelId: 'canvas', params: { prompt: 'sim:hold' }, maxCoins: 50 });
    const queued = await client.call('generate', { modelId: 'canvas', params: { prompt: 'second' }, maxCoins: 50 });
    expect(held.isError).toBeUndefined();
    const canceled = await client.call('cancel', { id: queued.structuredContent.id });
    expect(canceled.structuredContent).toMatchObject({ status: 'canceled', coinsCharged: 0 });
    const { items } = (await client.call('list_generations', { limit: 2 })).structuredContent;
    expect(items.map((each: { id: string }) => each.id)).toEqual([
      queued.structuredContent.id,
      held.structuredContent.id,
    ]);
    expect((await client.call('get_account')).structuredContent).toMatchObject({ channel: 'mcp' });
    await stack.assertBooks();
  });

  test('sees progress while it waits', async () => {
    const client = await connect(await makeAccount(stack));
    const params = { prompt: 'sim:ok:3000' };
    const { id } = (await client.call('generate', { modelId: 'canvas', params, maxCoins: 50 })).structuredContent;
    const { structuredContent, progress } = await client.call('get_generation', { id, waitSeconds: 50 });
    expect(structuredContent).toMatchObject({ id, status: 'succeeded' });
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => (a as number) - (b as number)));
  });

  test('pays once for a generate that it sends ten times, to two processes at once', async () => {
    const account = await makeAccount(stack);
    const client = await connect(account);
    const request = { modelId: 'canvas', params: { prompt: 'a boat' } };
    const { quoteToken } = (await client.call('quote', request)).structuredContent;
    const results = await Promise.all(
      Array.from({ length: 10 }, () => client.call('generate', { ...request, quoteToken })),
    );
    expect(new Set(results.map(({ structuredContent }) => structuredContent.id)).size).toBe(1);
    expect(await countOf(account)).toEqual({ generations: 1, holds: 1 });
    await stack.assertBooks();
  });

  test('is stopped by the budget with a message that says what is left', async () => {
    const account = await makeAccount(stack);
    const client = await connect(account, { 'x-daily-max-coins': '20' });
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        client.call('generate', { modelId: 'canvas', params: { prompt: `boat ${n}` }, maxCoins: 20 }),
      ),
    );
    const refused = results.filter(({ isError }) => isError === true);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].content[0].text).toMatch(
      /^spend_cap_exceeded: The price is \d+ coins, and \d+ of the 20 coins that this key may spend today \(UTC\) are left\. Nothing was charged\./,
    );
    const { generations } = await countOf(account);
    expect(generations).toBe(results.length - refused.length);
    const { body } = await call(stack.api().url, 'GET /v1/account', { key: account.key });
    expect(1_000_000 - body.balance.available).toBeLessThanOrEqual(20);
  });
});

test('the operator closes the channel for agents alone', async () => {
  const account = await makeAccount(stack);
  const client = await connectMcp({ urls: [stack.api().url], key: account.key, version: '2026-07-28' });
  const close = (closed: boolean) =>
    withTx(stack.db, (tx) => setSwitch(tx, { kind: 'channel', channel: 'mcp', closed }, 'test'));
  const request = { modelId: 'canvas', params: { prompt: 'a boat' } };
  await close(true);
  try {
    await until('the channel is closed', async () => (await client.call('quote', request)).isError === true);
    expect((await client.call('quote', request)).content[0].text).toContain('channel_disabled');
    expect((await call(stack.api().url, 'POST /v1/quotes', { key: account.key, json: request })).status).toBe(200);
  } finally {
    await close(false);
  }
});

test('a request without a valid key gets 401', async () => {
  const json = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const { status, headers, body } = await call(stack.api().url, 'POST /mcp', { key: 'wrong', json });
  expect([status, body.code]).toEqual([401, 'invalid_api_key']);
  expect(headers['www-authenticate']).toContain('Bearer');
});
