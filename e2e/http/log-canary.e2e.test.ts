import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { revokeApiKey } from '@atelier/server/domain/accounts/revoke-api-key.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, makeKey } from '../harness/account.ts';
import { type Answer, type CallOptions, call, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { formOf } from './form.ts';
import { picture } from './problems/world.ts';

/** The first submit, cancel, upload, run and delivery fail internally, and each failure is logged as an error. */
const FAULTS = [
  'submit.before-commit:throw:1',
  'cancel.before-commit:throw:1',
  'upload.after-spool:throw:1',
  'provider.before-call:throw:1',
  'webhook.before-send:throw:1',
].join(',');
/** The harness keeps this many chunks of the output of a process. */
const KEPT_PIECES = 2_000;

const canary = (name: string) => `canary-${name}-${randomBytes(9).toString('hex')}`;

let stack: Stack;
let receiver: Server;
const hooks: Array<{ signature: string; body: string }> = [];

beforeAll(async () => {
  stack = await startStack({
    services: inject('services'),
    apis: 1,
    workers: 1,
    cdns: 1,
    env: { LOG_LEVEL: 'debug', ALLOW_FAULTS: 'true', FAULT: FAULTS },
  });
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      hooks.push({ signature: String(request.headers['service-signature']), body: Buffer.concat(chunks).toString() });
      response.writeHead(hooks.length % 2 === 0 ? 204 : 500).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  receiver?.close();
  await stack?.stop();
});

/** Calls every operation, with valid and invalid requests, and collects all secrets. */
async function exercise(): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  const tell = (name: string, value: string) => {
    expect(value.length, `${name} is long enough to avoid accidental matches`).toBeGreaterThanOrEqual(16);
    secrets.set(name, value);
    return value;
  };
  const account = await makeAccount(stack);
  const { accountId } = account;
  const key = tell('an API key', account.key);
  const { url } = stack.api();
  const port = (receiver.address() as AddressInfo).port;
  const hookToken = tell('the token in the URL of an endpoint', canary('hook'));
  const endpoint = await makeEndpoint(stack, { accountId, url: `http://127.0.0.1:${port}/?token=${hookToken}` });
  tell('a webhook secret', endpoint.secret);
  const prompt = tell('a prompt', canary('prompt'));
  const negative = tell('a second text', canary('negative'));
  const send = (operation: string, options: CallOptions = {}) => call(url, operation, { key, ...options });
  const quoteOf = (json: unknown) => send('POST /v1/quotes', { json });
  const submit = (json: Record<string, unknown>, idempotencyKey = canary('idempotency')) =>
    send('POST /v1/generations', {
      json,
      headers: { 'idempotency-key': tell(`key ${idempotencyKey}`, idempotencyKey) },
    });
  const params = { prompt, negative_prompt: negative };
  const expectStatus = (answer: Answer, status: number) => expect(answer.status, answer.text).toBe(status);

  // First the injected faults, since each occurs only once.
  const body = { modelId: 'canvas', params, maxCoins: 100 };
  expectStatus(await submit(body), 500);
  const image = formOf(picture({ width: 32, height: 32 }));
  expectStatus(await send('POST /v1/uploads', image), 500);
  const uploaded = await send('POST /v1/uploads', image);
  expectStatus(uploaded, 201);

  const quote = await quoteOf({ modelId: 'canvas', params });
  const token = tell('a quote token', quote.body.quoteToken);
  const repeated = canary('repeated');
  const first = await submit({ modelId: 'canvas', params, quoteToken: token }, repeated);
  expectStatus(first, 201);
  expectStatus(await submit({ modelId: 'canvas', params: { prompt: `${prompt}!` }, maxCoins: 100 }, repeated), 409);
  const forged = tell('a forged token', `${token.slice(0, -4)}AAAA`);
  expectStatus(await submit({ modelId: 'canvas', params, quoteToken: forged }), 400);
  expectStatus(await submit({ ...body, params: { ...params, prompt: `${prompt}\u0000` } }), 400);
  expectStatus(await submit({ ...body, [canary('field')]: prompt }), 400);
  expectStatus(await quoteOf(`{"modelId":"canvas","params":{"prompt":"${prompt}"`), 400);
  expectStatus(await quoteOf({ modelId: prompt, params }), 404);
  const failing = { ...body, params: { prompt: 'sim:fail:internal', negative_prompt: negative } };
  expectStatus(await submit(failing), 201);
  expectStatus(await submit(failing), 201);
  expectStatus(await submit({ ...body, projectId: tell('a project', canary('project')) }), 201);

  // One of them hit the fault of the worker and is retried much later; the others succeed.
  const finished = await until('a generation is done', async () => {
    const { body: page } = await send('GET /v1/generations?status=succeeded');
    return page.items[0];
  });
  const link = new URL(finished.outputs[0].url);
  tell('the signature of a link', link.searchParams.get('s') as string);
  expectStatus(await call(link.origin, `GET ${link.pathname}${link.search}`), 200);
  const spoilt = tell('an altered signature', `${link.searchParams.get('s')?.slice(0, -2)}AA`);
  link.searchParams.set('s', spoilt);
  expect((await call(link.origin, `GET ${link.pathname}${link.search}`)).status).toBe(403);
  const asset = await send(`GET /v1/assets/${uploaded.body.id}`);
  tell('the signature of an upload', new URL(asset.body.url).searchParams.get('s') as string);

  const held = await submit({ ...body, params: { prompt: 'sim:hold', negative_prompt: negative } });
  await send(`POST /v1/generations/${held.body.id}/cancel`);
  await send(`POST /v1/generations/${held.body.id}/cancel`);
  const page = await send('GET /v1/generations?limit=1');
  const cursor = tell('a cursor', page.body.nextCursor);
  expectStatus(await send(`GET /v1/generations?limit=1&cursor=${cursor}`), 200);
  expectStatus(await send(`GET /v1/generations?cursor=${cursor}x`), 400);
  expectStatus(await send(`GET /v1/generations?modelId=${prompt}`), 200);
  for (const path of ['events', 'account', 'generations/concurrency', 'models', 'effects']) {
    expectStatus(await send(`GET /v1/${path}`), 200);
  }
  expectStatus(await send(`GET /v1/events?after=${canary('after')}`), 400);

  const wrongKey = tell('an invalid key', `${key.slice(0, -1)}${key.at(-1) === 'A' ? 'B' : 'A'}`);
  expectStatus(await call(url, 'GET /v1/account', { key: wrongKey }), 401);
  const basic = tell('other credentials', canary('basic'));
  expectStatus(await call(url, 'GET /v1/account', { headers: { authorization: `Basic ${basic}` } }), 401);
  const inPath = tell('a word in a path', canary('path'));
  expectStatus(await send(`GET /v1/generations/${inPath}?secret=${inPath}`), 404);
  expectStatus(await send(`GET /${inPath}/%zz?secret=${inPath}`), 400);
  const other = await makeKey(stack, account);
  await withTx(stack.db, (tx) => revokeApiKey(tx, { accountId, keyId: other.id, actor: 'test' }));
  expectStatus(await call(url, 'GET /v1/account', { key: tell('a revoked key', other.key) }), 401);

  const told = (type: string) => hooks.some(({ body: text }) => text.includes(type));
  await until('webhooks of both generations have arrived', async () => told('.succeeded') && told('.failed'));
  tell('the signature of a webhook', /v1=([0-9a-f]{64})/.exec(hooks[0]?.signature ?? '')?.[1] as string);
  for (const name of ['MASTER_KEY', 'S3_SECRET_KEY']) tell(name, stack.env[name] as string);
  return secrets;
}

test('no secret appears in the output of any process or in the metrics', async () => {
  const secrets = await exercise();
  const metrics = await Promise.all(
    stack.members.map(async ({ metricsUrl }) => (await call(metricsUrl, 'GET /metrics')).text),
  );
  for (const member of stack.members) member.signal('SIGTERM');
  await Promise.all(stack.members.map((member) => member.gone()));

  const outputs = stack.members.map(({ role, logs }) => ({ role, pieces: logs.length, text: logs.join('') }));
  for (const { role, pieces, text } of outputs) {
    expect(pieces, `${role}: nothing was dropped`).toBeLessThan(KEPT_PIECES);
    expect(text, role).toContain('"msg"');
  }
  const all = outputs.map(({ text }) => text).join('');
  // The search proves something only if the failures were logged.
  for (const fault of ['submit.before-commit', 'upload.after-spool', 'webhook.before-send']) {
    expect(all).toContain(`fault at ${fault}`);
  }
  // A failed run is logged by its code only: its message can contain a customer's text.
  expect(all).toMatch(/"code":"internal"[^\n]*"msg":"run failed"/);
  expect(all).not.toContain('fault at provider.before-call');
  const haystack = all + metrics.join('');
  const found = [...secrets].filter(([, value]) => haystack.includes(value)).map(([name]) => name);
  console.info(`${secrets.size} secrets searched in ${haystack.length} characters of output`);
  expect(found).toEqual([]);
  expect(haystack).not.toMatch(/canary-/);
  expect(haystack).not.toMatch(/whsec_|Bearer atl_/);
});
