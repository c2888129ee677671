import { randomUUID } from 'node:crypto';
import { Generation, GenerationPage, PublicAccount, QuoteResponse, SCOPES } from '@atelier/contract';
import { Compile } from 'typebox/compile';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createAccount } from '../../domain/accounts/create-account.ts';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { revokeApiKey } from '../../domain/accounts/revoke-api-key.ts';
import { createMoneyPath } from '../../domain/generations/testing/create-money-path.ts';
import { grantCoins } from '../../domain/ledger/grant-coins.ts';
import { verifyBooks } from '../../domain/ledger/verify-books.ts';
import { withTx } from '../../platform/db.ts';
import { createTestConsole, MCP_DAILY_BUDGET_COINS, type TestConsole } from '../console/testing/create-test-console.ts';
import { createTestClient } from './testing/create-test-client.ts';

const database = await openTestDatabase({ connections: 20 });
const { db, owner } = database;
const path = createMoneyPath(database);
const START = 1_000;
const PRICE = 7;

let console_: TestConsole;
let url: string;
beforeAll(async () => {
  console_ = await createTestConsole(database);
  url = await console_.publicApp.listen({ host: '127.0.0.1', port: 0 });
});
// The last use of a key is recorded after the response.
afterEach(() => expect.poll(() => db.pool.totalCount - db.pool.idleCount).toBe(0));
afterAll(async () => {
  await console_.close();
  expect((await verifyBooks({ db: owner })).filter(({ violations }) => violations > 0)).toEqual([]);
});

interface Agent {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

async function makeAgent(options: { monthlyCap?: number; runLimit?: number } = {}): Promise<Agent> {
  return withTx(db, async (tx) => {
    const { runLimit = 100 } = options;
    const accountId = await createAccount(tx, { ownerId: randomUUID(), mode: 'test', name: 'test', runLimit });
    await grantCoins(tx, { accountId, coins: START, actor: 'test', reason: 'coins of a test' });
    const { id, key } = await createApiKey(tx, 'c1', {
      accountId,
      name: 'agent',
      scopes: SCOPES,
      monthlyCap: options.monthlyCap ?? null,
      rateLimit: 100_000,
    });
    return { accountId, keyId: id, key };
  });
}

const connect = ({ key }: Agent, version: string, headers: Record<string, string> = {}) =>
  createTestClient({ app: console_.publicApp, key, version, headers }).connect();

const request = (prompt = 'a boat') => ({ modelId: 'canvas', params: { prompt } });

async function generationsOf({ accountId }: Agent) {
  return path.read<{ id: string; channel: string; held: number }>(
    `SELECT g.id, g.channel, h.amount AS held FROM generation g JOIN hold h ON h.generation_id = g.id
     WHERE g.account_id = $1 ORDER BY g.created_at`,
    [accountId],
  );
}

describe.each(['2025-11-25', '2026-07-28'])('an agent that uses %s', (version) => {
  test('quotes, generates at that price, and is charged once for every retry', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version);
    const quote = await client.call('quote', request());
    expect(Compile(QuoteResponse).Check(quote.structuredContent)).toBe(true);
    expect(quote.content[0].text).toContain(`${PRICE} coins for 1 output(s); the account has ${START}.`);
    const { quoteToken } = quote.structuredContent;
    const results = await Promise.all(
      Array.from({ length: 10 }, () => client.call('generate', { ...request(), quoteToken })),
    );
    expect(new Set(results.map(({ structuredContent }) => structuredContent.id)).size).toBe(1);
    expect(results.filter(({ content }) => content[0].text.startsWith('Queued for 7 coins.'))).toHaveLength(1);
    expect(Compile(Generation).Check(results[0].structuredContent)).toBe(true);
    expect(await generationsOf(agent)).toEqual([{ id: results[0].structuredContent.id, channel: 'mcp', held: PRICE }]);
    expect(await path.coinsOf(agent)).toEqual({ available: START - PRICE, held: PRICE });
  });

  test('generates under a ceiling, and the same again only if it says so', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version);
    const first = await client.call('generate', { ...request(), maxCoins: 10 });
    const retry = await client.call('generate', { ...request(), maxCoins: 10 });
    expect(retry.structuredContent.id).toBe(first.structuredContent.id);
    expect(retry.content[0].text).toContain('nothing more was charged');
    const second = await client.call('generate', { ...request(), maxCoins: 10, label: 'second' });
    expect(second.structuredContent.id).not.toBe(first.structuredContent.id);
    expect(await generationsOf(agent)).toHaveLength(2);
  });

  test('retries a failed generation with the same call, which was free', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version);
    const { quoteToken } = (await client.call('quote', request())).structuredContent;
    const generate = async () => (await client.call('generate', { ...request(), quoteToken })).structuredContent.id;
    const first = await generate();
    await path.finish(first, { error: 'internal' });
    const second = await generate();
    expect(second).not.toBe(first);
    expect(await generate()).toBe(second);
    expect(await path.coinsOf(agent)).toEqual({ available: START - PRICE, held: PRICE });
  });

  test('cannot use a quote for another request', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version);
    const { quoteToken } = (await client.call('quote', request())).structuredContent;
    await client.call('generate', { ...request(), quoteToken });
    const other = await client.call('generate', { ...request('a car'), quoteToken });
    expect(other).toMatchObject({ isError: true });
    expect(other.content[0].text).toContain('invalid_quote: This quote was already used for another request.');
    expect(await generationsOf(agent)).toHaveLength(1);
  });

  test('is told that it must name a price', async () => {
    const client = await connect(await makeAgent(), version);
    const { content, isError } = await client.call('generate', request());
    expect(isError).toBe(true);
    expect(content[0].text).toContain('Send exactly one of quoteToken and maxCoins.');
  });

  test('spends no more than the budget, also with parallel calls', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version);
    const most = Math.floor(MCP_DAILY_BUDGET_COINS / PRICE);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.call('generate', { ...request(`boat ${n}`), maxCoins: PRICE })),
    );
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(most);
    const refused = results.find(({ isError }) => isError === true);
    const left = MCP_DAILY_BUDGET_COINS - most * PRICE;
    expect(refused.content[0].text).toContain(
      `spend_cap_exceeded: The price is 7 coins, and ${left} of the ${MCP_DAILY_BUDGET_COINS} coins that this key may spend today (UTC) are left.`,
    );
    expect(await path.coinsOf(agent)).toEqual({ available: START - most * PRICE, held: most * PRICE });
    // A release leaves room for the next.
    const [oldest] = await generationsOf(agent);
    await client.call('cancel', { id: oldest!.id });
    expect((await client.call('generate', { ...request('one more'), maxCoins: PRICE })).isError).toBeUndefined();
  });

  test('can lower the budget in its configuration', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version, { 'x-daily-max-coins': '10' });
    expect((await client.call('generate', { ...request('one'), maxCoins: PRICE })).isError).toBeUndefined();
    const { content } = await client.call('generate', { ...request('two'), maxCoins: PRICE });
    expect(content[0].text).toContain('3 of the 10 coins that this key may spend today (UTC) are left');
  });

  test('waits for the end, and gets links to the outputs', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version);
    const { id } = (await client.call('generate', { ...request(), maxCoins: PRICE })).structuredContent;
    const waiting = client.call('get_generation', { id, waitSeconds: 50 });
    await path.finish(id);
    const { structuredContent, content } = await waiting;
    expect(structuredContent).toMatchObject({ id, status: 'succeeded', coinsCharged: PRICE });
    expect(content[0].text).toBe('Succeeded with 1 output(s) for 7 coins.');
    const [output] = structuredContent.outputs;
    expect(content).toContainEqual(
      expect.objectContaining({ type: 'resource_link', uri: output.url, mimeType: 'image/png' }),
    );
  });

  test('gets the current state without a wait', async () => {
    const agent = await makeAgent();
    const client = await connect(agent, version);
    const { id } = (await client.call('generate', { ...request(), maxCoins: PRICE })).structuredContent;
    const { content } = await client.call('get_generation', { id, waitSeconds: 0 });
    expect(content[0].text).toBe('Not finished: queued, position 1. Call get_generation again.');
  });

  test('sees and cancels only its own', async () => {
    const [agent, other] = [await makeAgent(), await makeAgent()];
    const { id } = (await (await connect(agent, version)).call('generate', { ...request(), maxCoins: PRICE }))
      .structuredContent;
    const stranger = await connect(other, version);
    for (const tool of ['get_generation', 'cancel']) {
      expect((await stranger.call(tool, { id })).content[0].text).toContain('not_found: There is no such generation.');
    }
    await path.take(id);
    const late = await (await connect(agent, version)).call('cancel', { id });
    expect(late.content[0].text).toContain('not_cancelable');
  });
});

/** The messages of a response, each as soon as it arrives. */
async function* readMessages(response: Response) {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() as string;
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice(6));
    }
  }
}

/** Waits for a generation as a client does that shows progress. */
async function waitFor(agent: Agent, sessionId: string, id: string): Promise<Response> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agent.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': sessionId,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'get_generation', arguments: { id, waitSeconds: 50 }, _meta: { progressToken: 'p' } },
    }),
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return response;
}

const progressOf = (progress: number, message: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 'p', progress, total: 1, message },
});

test('a client that names a token sees the progress while it waits', async () => {
  const agent = await makeAgent();
  const client = await connect(agent, '2025-11-25');
  const { id } = (await client.call('generate', { ...request(), maxCoins: PRICE })).structuredContent;
  const response = await waitFor(agent, client.sessionId(), id);
  expect(response.headers.get('ratelimit-limit')).not.toBeNull();
  const messages = readMessages(response);
  expect((await messages.next()).value).toEqual(progressOf(0, 'queued, position 1'));
  const run = await path.take(id);
  await owner.pool.query('UPDATE generation SET progress = 0.5 WHERE id = $1', [id]);
  expect((await messages.next()).value).toEqual(progressOf(0.5, 'processing, 50%'));
  await path.settle(run!);
  expect((await messages.next()).value).toMatchObject({
    jsonrpc: '2.0',
    id: 7,
    result: { structuredContent: { id, status: 'succeeded' } },
  });
  expect(await messages.next()).toMatchObject({ done: true });
});

const VERSIONS = ['2025-11-25', '2025-06-18', '2026-07-28'];
const DAY_MS = 24 * 3600 * 1000;

/** Moves the clock of the service while `work` runs. */
async function later<T>(offsetMs: number, work: () => Promise<T>): Promise<T> {
  console_.services.state.offsetMs = offsetMs;
  try {
    return await work();
  } finally {
    console_.services.state.offsetMs = 0;
  }
}

describe('after a reconnect', () => {
  test.each([
    ['a quote', true],
    ['a ceiling', false],
  ])('the same request with %s pays once, in every session and version', async (_name, isQuoted) => {
    const agent = await makeAgent();
    const first = await connect(agent, '2025-11-25');
    const { quoteToken } = (await first.call('quote', request())).structuredContent;
    const input = { ...request(), ...(isQuoted ? { quoteToken } : { maxCoins: PRICE }) };
    const clients = await Promise.all([...VERSIONS, ...VERSIONS].map((version) => connect(agent, version)));
    const results = await Promise.all([first, ...clients].map((client) => client.call('generate', input)));
    expect(new Set(results.map(({ structuredContent }) => structuredContent.id)).size).toBe(1);
    expect(await path.coinsOf(agent)).toEqual({ available: START - PRICE, held: PRICE });
    // Another label asks for another one, also once for all sessions.
    const [one, two] = await Promise.all(clients.map((each) => each.call('generate', { ...input, label: 'second' })));
    expect(one.structuredContent.id).toBe(two.structuredContent.id);
    expect(await generationsOf(agent)).toHaveLength(2);
  });

  test('another key of the account is another agent', async () => {
    const agent = await makeAgent();
    const other = await withTx(db, (tx) =>
      createApiKey(tx, 'c1', { accountId: agent.accountId, name: 'other', scopes: SCOPES }),
    );
    for (const { key } of [agent, other]) {
      const client = await connect({ ...agent, key }, '2026-07-28');
      await client.call('generate', { ...request(), maxCoins: PRICE });
    }
    expect(await generationsOf(agent)).toHaveLength(2);
  });

  test('a day later the same request is a new one', async () => {
    const agent = await makeAgent();
    const generate = async () =>
      (await (await connect(agent, '2025-11-25')).call('generate', { ...request(), maxCoins: PRICE })).structuredContent
        .id;
    const first = await generate();
    expect(await later(DAY_MS - 60_000, generate)).toBe(first);
    expect(await later(DAY_MS + 60_000, generate)).not.toBe(first);
  });
});

describe('the budget of a key', () => {
  const generate = (client: { call(name: string, input: object): Promise<unknown> }, prompt: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests check the result
    client.call('generate', { ...request(prompt), maxCoins: PRICE }) as Promise<any>;

  test('is not renewed by a new session, and holds exactly for parallel calls of all of them', async () => {
    const agent = await makeAgent();
    const clients = await Promise.all([...VERSIONS, ...VERSIONS].map((version) => connect(agent, version)));
    const results = await Promise.all(
      clients.flatMap((client, n) => [1, 2, 3].map((each) => generate(client, `boat ${n} ${each}`))),
    );
    const most = Math.floor(MCP_DAILY_BUDGET_COINS / PRICE);
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(most);
    expect(await path.coinsOf(agent)).toEqual({ available: START - most * PRICE, held: most * PRICE });
    const again = await generate(await connect(agent, '2025-11-25'), 'one more');
    expect(again.content[0].text).toContain('1 of the 50 coins that this key may spend today (UTC) are left');
  });

  test('starts again with the next UTC day', async () => {
    const agent = await makeAgent();
    const headers = { 'x-daily-max-coins': String(PRICE) };
    expect((await generate(await connect(agent, '2026-07-28', headers), 'one')).isError).toBeUndefined();
    expect((await generate(await connect(agent, '2026-07-28', headers), 'two')).isError).toBe(true);
    const tomorrow = await later(DAY_MS, async () => generate(await connect(agent, '2025-11-25', headers), 'two'));
    expect(tomorrow.isError).toBeUndefined();
  });

  test('is below the monthly cap of the key', async () => {
    const agent = await makeAgent({ monthlyCap: PRICE });
    const client = await connect(agent, '2025-11-25');
    expect((await generate(client, 'one')).isError).toBeUndefined();
    expect((await generate(client, 'two')).content[0].text).toContain("would exceed this key's monthly spend cap");
  });
});

test('an agent finds its generations and its account after a reconnect', async () => {
  const agent = await makeAgent();
  const { id } = (await (await connect(agent, '2025-11-25')).call('generate', { ...request(), maxCoins: PRICE }))
    .structuredContent;
  await path.begin(await makeAgent());
  const client = await connect(agent, '2026-07-28');
  const list = await client.call('list_generations', { status: 'queued' });
  expect(Compile(GenerationPage).Check(list.structuredContent)).toBe(true);
  expect(list.structuredContent).toMatchObject({ items: [{ id }], nextCursor: null });
  expect(list.content[0].text).toBe('1 generation(s).');
  const { structuredContent: account } = await client.call('get_account');
  expect(Compile(PublicAccount).Check(account)).toBe(true);
  expect(account).toMatchObject({
    channel: 'mcp',
    key: { id: agent.keyId },
    balance: { available: START - PRICE, held: PRICE },
  });
});

test('a closed channel refuses new generations and still answers a retry', async () => {
  const agent = await makeAgent();
  const client = await connect(agent, '2026-07-28');
  const first = await client.call('generate', { ...request(), maxCoins: PRICE });
  console_.services.state.closedChannels.add('mcp');
  try {
    const retry = await client.call('generate', { ...request(), maxCoins: PRICE });
    expect(retry.structuredContent.id).toBe(first.structuredContent.id);
    const { content } = await client.call('generate', { ...request('new'), maxCoins: PRICE });
    expect(content[0].text).toContain('channel_disabled: The mcp channel is disabled.');
  } finally {
    console_.services.state.closedChannels.clear();
  }
});

test('a wait ends when its key is revoked', async () => {
  const agent = await makeAgent();
  const client = await connect(agent, '2025-11-25');
  const { id } = (await client.call('generate', { ...request(), maxCoins: PRICE })).structuredContent;
  const messages = readMessages(await waitFor(agent, client.sessionId(), id));
  expect((await messages.next()).value).toEqual(progressOf(0, 'queued, position 1'));
  await withTx(db, (tx) => revokeApiKey(tx, { accountId: agent.accountId, keyId: agent.keyId, actor: 'test' }));
  const { result } = (await messages.next()).value;
  expect(result.isError).toBe(true);
  expect(result.content[0].text).toContain('unauthorized: The API key was revoked or has expired.');
});
