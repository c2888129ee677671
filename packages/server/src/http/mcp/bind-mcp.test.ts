import { Model, SCOPES, type Scope } from '@atelier/contract';
import type { FastifyInstance } from 'fastify';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../domain/accounts/caller.ts';
import { createPathServices } from '../../domain/generations/testing/create-path-services.ts';
import type { Services } from '../../domain/services.ts';
import { createLog } from '../../platform/log.ts';
import { Problem } from '../../platform/problem.ts';
import { createTelemetry } from '../../platform/telemetry.ts';
import { NO_TRACING } from '../../platform/tracing.ts';
import { createHttpServer } from '../server/create-http-server.ts';
import { tools } from './answer-message.ts';
import { bindMcp } from './bind-mcp.ts';
import { createTestClient, type TestClient } from './testing/create-test-client.ts';

/** These tests read no table: a tool that did would fail with an internal error. */
const services = createPathServices(undefined as never);
let app: FastifyInstance;
let scopes: readonly Scope[] = SCOPES;
let requests = 0;
let all: Services;

const serverOptions = (given: Services) => ({
  services: given,
  problemBaseUrl: 'https://api.example.com/problems',
  trustedProxies: [],
  accessLogShare: 0,
  paths: [{ method: 'POST', path: '/mcp' }],
});

beforeAll(async () => {
  all = {
    ...services,
    log: createLog({ level: 'silent' }),
    telemetry: createTelemetry(),
    tracing: NO_TRACING,
  } as unknown as Services;
  app = await createHttpServer(serverOptions(all));
  await bindMcp(app, {
    services: all,
    dailyBudgetCoins: 50,
    accessUrl: 'https://console.example.com',
    authenticate: async (request, _reply, channel): Promise<Caller> => {
      if (request.headers.authorization === undefined) throw new Problem('unauthorized', 'A key is required.');
      const keyId = request.headers.authorization === 'Bearer other' ? 'other' : 'key';
      const limits = { keyRateLimit: 100, accountRateLimit: 100, requestCap: null };
      return { accountId: 'account', mode: 'test', locked: false, keyId, scopes, channel, ...limits };
    },
    limiter: async () => {
      requests += 1;
      return { allowed: true, limit: 100, remaining: 100, resetSeconds: 1 };
    },
  });
});
afterAll(() => app.close());

const send = (options: { headers?: Record<string, string>; payload?: string; method?: 'POST' | 'GET' }) =>
  app.inject({
    method: options.method ?? 'POST',
    url: '/mcp',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json', ...options.headers },
    ...(options.payload === undefined ? {} : { payload: options.payload }),
  });
const sessionClient = (version = '2025-11-25') => createTestClient({ app, key: 'key', version });
const statelessClient = () => createTestClient({ app, key: 'key', version: '2026-07-28' });

describe('before a message is read', () => {
  test('a request without a key gets 401, and one with a key counts for the rate limit', async () => {
    const refused = await app.inject({ method: 'POST', url: '/mcp', payload: {} });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer realm="atelier", resource_metadata="${services.publicUrl}/.well-known/oauth-protected-resource/mcp", scope="generate read uploads account"`,
    );
    const before = requests;
    const answer = await send({ payload: '{}' });
    expect(requests).toBe(before + 1);
    expect(answer.headers['ratelimit-limit']).toBe('100');
  });

  test('a client finds the console, where a person gives it access', async () => {
    for (const path of ['', '/mcp']) {
      const answer = await app.inject(`/.well-known/oauth-protected-resource${path}`);
      expect(answer.json()).toMatchObject({
        resource: `${services.publicUrl}/mcp`,
        authorization_servers: ['https://console.example.com'],
        scopes_supported: ['generate', 'read', 'uploads', 'account'],
      });
    }
  });

  test('without a console that its users can reach, a client is told to use a key', async () => {
    await using closed = await createHttpServer(serverOptions(all));
    await bindMcp(closed, {
      services: all,
      dailyBudgetCoins: 50,
      accessUrl: null,
      authenticate: async () => {
        throw new Problem('unauthorized', 'A key is required.');
      },
      limiter: async () => ({ allowed: true, limit: 100, remaining: 100, resetSeconds: 1 }),
    });
    const refused = await closed.inject({ method: 'POST', url: '/mcp', payload: {} });
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="atelier", scope="generate read uploads account"');
    const answer = await closed.inject('/.well-known/oauth-protected-resource/mcp');
    expect([answer.statusCode, answer.json().detail]).toEqual([
      404,
      'Programs need an API key: nobody can sign in for them.',
    ]);
  });

  test('a page of another site is refused, the own origin is not', async () => {
    const foreign = await send({ headers: { origin: 'https://evil.example' }, payload: '{}' });
    expect([foreign.statusCode, foreign.json().error.code]).toEqual([403, -32_600]);
    expect((await send({ headers: { origin: services.publicUrl }, payload: '{}' })).statusCode).toBe(400);
  });

  test('other methods get 405, so that clients do not wait for a stream of the server', async () => {
    const answer = await send({ method: 'GET' });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST']);
  });

  test('a body of more than 7 MiB is refused with its limit', async () => {
    const answer = await send({ payload: ' '.repeat(7 * 1024 * 1024 + 1) });
    expect(answer.json()).toMatchObject({ code: 'input_too_large', detail: 'The body is larger than 7 MiB.' });
  });

  test.each([
    ['no JSON', '{', -32_700],
    ['nothing', '', -32_600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600],
    ['another version of JSON-RPC', '{"id":1,"method":"ping"}', -32_600],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', -32_600],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32_600],
  ])('%s is an error of the protocol', async (_name, payload, code) => {
    const answer = await send({ payload });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, code]);
  });

  test('a notification is accepted without a body', async () => {
    const answer = await send({ payload: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
    expect([answer.statusCode, answer.payload]).toEqual([202, '']);
  });
});

describe('a client with a session', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2025-11-25'],
  ])('that asks for %s gets %s', async (asked, given) => {
    const answer = await sessionClient().send('initialize', { protocolVersion: asked }, {});
    expect(answer.result).toMatchObject({ protocolVersion: given, capabilities: { tools: {} } });
  });

  test('lists the tools and calls them', async () => {
    const client = await sessionClient().connect();
    const { result } = await client.send('tools/list');
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(tools.map(({ name }) => name));
    expect(await client.call('list_models')).toMatchObject({
      structuredContent: { models: expect.arrayContaining([expect.objectContaining({ id: 'canvas' })]) },
    });
    expect((await client.send('ping')).result).toEqual({});
    expect((await client.send('resources/list')).error).toMatchObject({ code: -32_601 });
  });

  test.each([
    ['no session', {}, 400],
    ['an unknown session', { 'mcp-session-id': 'm1.a.b.c' }, 404],
  ])('and %s is refused', async (_name, headers, status) => {
    const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const answer = await send({ payload, headers: { 'mcp-protocol-version': '2025-11-25', ...headers } });
    expect(answer.statusCode).toBe(status);
  });

  test('loses it after a day, and another key cannot use it', async () => {
    const client = await sessionClient().connect();
    const foreign = createTestClient({ app, key: 'other', version: '2025-11-25', sessionId: client.sessionId() });
    expect((await foreign.send('tools/list')).status).toBe(404);
    services.state.offsetMs = 24 * 3600 * 1000 + 1_000;
    try {
      expect((await client.send('tools/list')).status).toBe(404);
    } finally {
      services.state.offsetMs = 0;
    }
  });
});

describe('a stateless client', () => {
  test('discovers the server', async () => {
    const { result } = await statelessClient().send('server/discover');
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
      capabilities: { tools: {} },
      ttlMs: expect.any(Number),
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'atelier' } },
    });
  });

  test('lists the tools and calls them', async () => {
    const client = statelessClient();
    const { result } = await client.send('tools/list');
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' });
    expect(result.tools).toHaveLength(tools.length);
    expect(await client.call('get_model', { id: 'canvas' })).toMatchObject({ structuredContent: { id: 'canvas' } });
  });

  const META = 'io.modelcontextprotocol/';
  const meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'list_models',
  };
  test.each([
    ['no version in the body', { ...meta, [`${META}protocolVersion`]: undefined }, headers, -32_602],
    ['no capabilities', { ...meta, [`${META}clientCapabilities`]: undefined }, headers, -32_602],
    ['no version header', meta, { ...headers, 'mcp-protocol-version': '' }, -32_020],
    ['another version header', meta, { ...headers, 'mcp-protocol-version': '2025-11-25' }, -32_020],
    ['another method header', meta, { ...headers, 'mcp-method': 'tools/list' }, -32_020],
    ['another name header', meta, { ...headers, 'mcp-name': 'generate' }, -32_020],
  ])('with %s is refused', async (_name, _meta, sent, code) => {
    const params = { name: 'list_models', _meta };
    const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const answer = await send({ payload, headers: sent });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { id: 1, error: { code } }]);
  });

  test('may send the name in base64', async () => {
    const name = `=?base64?${Buffer.from('list_models').toString('base64')}?=`;
    const params = { name: 'list_models', _meta: meta };
    const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect((await send({ payload, headers: { ...headers, 'mcp-name': name } })).statusCode).toBe(200);
  });

  test('with an unsupported version is told which are', async () => {
    const answer = await createTestClient({ app, key: 'key', version: '1900-01-01' }).send('server/discover');
    expect(answer.status).toBe(400);
    expect(answer.error).toMatchObject({
      code: -32_022,
      data: { supported: ['2026-07-28', '2025-11-25', '2025-06-18'], requested: '1900-01-01' },
    });
  });

  test('gets 404 for an unknown method', async () => {
    const answer = await statelessClient().send('subscriptions/listen');
    expect([answer.status, answer.error?.code]).toEqual([404, -32_601]);
  });
});

describe.each(['2025-11-25', '2026-07-28'])('the tools in %s', (version) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await createTestClient({ app, key: 'key', version }).connect();
  });

  test('that the scopes of the key do not allow are neither listed nor called', async () => {
    scopes = ['read'];
    try {
      const { result } = await client.send('tools/list');
      expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([
        'list_models',
        'get_model',
        'get_generation',
        'list_generations',
      ]);
      const refused = await client.call('generate', { modelId: 'canvas', params: {}, maxCoins: 7 });
      expect(refused).toMatchObject({ isError: true });
      expect(refused.content[0].text).toContain(
        'insufficient_scope: This tool requires a key with the scope generate.',
      );
    } finally {
      scopes = SCOPES;
    }
  });

  test('return the model as the contract describes it', async () => {
    const { structuredContent, content } = await client.call('get_model', { id: 'canvas' });
    expect(Compile(Model).Check(structuredContent)).toBe(true);
    expect(JSON.parse(content.at(-1).text)).toEqual(structuredContent);
  });

  test('that do not exist are an error of the protocol', async () => {
    expect((await client.send('tools/call', { name: 'paint' })).error).toMatchObject({ code: -32_602 });
  });

  test.each([
    ['an unknown model', 'get_model', { id: 'nothing' }, 'unknown_model: There is no model nothing.'],
    ['an unknown field', 'list_models', { modalty: 'image' }, 'invalid_params: The input is not valid: modalty'],
    ['a value that is not listed', 'list_models', { modality: 'smell' }, '- modality must be one of image'],
    ['a missing field', 'quote', { params: {} }, '- modelId is required'],
    ['an id that is none', 'get_generation', { id: '1' }, '- id'],
    ['a wait that is too long', 'get_generation', { id: crypto.randomUUID(), waitSeconds: 51 }, '- waitSeconds'],
    ['a file that is not base64', 'upload', { data: 'a file' }, '- data must be base64'],
    ['a file of more than 5 MiB', 'upload', { data: 'A'.repeat(6_990_512) }, 'upload_too_large'],
  ])('explain %s to the agent', async (_name, tool, input, text) => {
    const result = await client.call(tool, input);
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toContain(text);
  });

  test('that spend or store are refused while the operator closes the channel, and reads are not', async () => {
    services.state.closedChannels.add('mcp');
    try {
      for (const [tool, input] of [
        ['quote', { modelId: 'canvas', params: {} }],
        ['upload', { data: 'AAAA' }],
      ] as const) {
        const { content, isError } = await client.call(tool, input);
        expect(isError).toBe(true);
        expect(content[0].text).toContain('channel_disabled: The mcp channel is disabled.');
        expect(content[0].text).toContain('Retry after 60 seconds.');
      }
      expect((await client.call('list_models')).isError).toBeUndefined();
    } finally {
      services.state.closedChannels.clear();
    }
  });

  test('that fail unexpectedly do not tell why', async () => {
    const { error } = await client.send('tools/call', {
      name: 'cancel',
      arguments: { id: crypto.randomUUID() },
    });
    expect(error).toMatchObject({ code: -32_603, data: { code: 'internal', instance: expect.any(String) } });
    expect(JSON.stringify(error)).not.toContain('undefined');
  });
});
