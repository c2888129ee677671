import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { call } from '../harness/client.ts';
import { connectMcp } from '../mcp/mcp-client.ts';
import { signIn, signUp } from './sign-up.ts';
import { type RunningConsole, startConsole } from './start-console.ts';

const PERSON = { name: 'Amara Voss', email: 'amara@harbour.example', password: 'correct horse battery staple' };
const SLOW_MS = 60_000;
const STATE = 'kJ2_-x9';

let running: RunningConsole;
/** An API that knows where the console is. */
let apiUrl: string;
let page: Page;

beforeAll(async () => {
  running = await startConsole(inject('services'));
  apiUrl = (await running.stack.start('api', { CONSOLE_URL: running.url })).url;
  const context = await running.browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(SLOW_MS);
  page = await context.newPage();
  await signUp(running, page, PERSON);
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
});

/** A desktop agent: it listens on this machine for the answer of the console. */
async function startAgent() {
  let arrived: (url: URL) => void = () => {};
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>agent</title><p>You can close this page.</p>');
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') arrived(url);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;

  // Only the address of the service is known; each step names the next.
  const refused = await call(apiUrl, 'POST /mcp', { json: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  expect(refused.status).toBe(401);
  const challenge = String(refused.headers['www-authenticate']);
  const { body: resource } = await call('', `GET ${/resource_metadata="([^"]+)"/.exec(challenge)![1]}`);
  expect(resource.resource).toBe(`${apiUrl}/mcp`);
  const [issuer] = resource.authorization_servers;
  const { body: metadata } = await call(issuer, 'GET /.well-known/oauth-authorization-server');
  expect(metadata.issuer).toBe(issuer);
  const registered = await call('', `POST ${metadata.registration_endpoint}`, {
    json: { client_name: 'Desk agent', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
  });
  expect(registered.status).toBe(201);

  const verifier = randomBytes(32).toString('base64url');
  const asked = new URL(metadata.authorization_endpoint);
  asked.search = new URLSearchParams({
    response_type: 'code',
    client_id: registered.body.client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: resource.scopes_supported.join(' '),
    state: STATE,
    resource: resource.resource,
  }).toString();
  const answer = new Promise<URL>((resolve) => {
    arrived = resolve;
  });
  return {
    authorizeUrl: asked.href,
    answer,
    exchange(code: string) {
      return call('', `POST ${metadata.token_endpoint}`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          client_id: registered.body.client_id,
          redirect_uri: redirectUri,
          code_verifier: verifier,
          resource: resource.resource,
        }).toString(),
      });
    },
    [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())),
  };
}

test('an agent that knows only the address gets a key that the person limits, and uses it', async () => {
  await using agent = await startAgent();
  await page.goto(agent.authorizeUrl);
  await page.getByRole('heading', { name: 'Give Desk agent access?' }).waitFor();
  const account = page.getByLabel('Account');
  const label = await account.locator('option', { hasText: 'Test' }).first().textContent();
  await account.selectOption({ label: label! });
  await page.getByLabel('Monthly cap').fill('10');
  await page.getByRole('button', { name: 'Allow access' }).click();
  const callback = await agent.answer;
  expect(callback.searchParams.get('state')).toBe(STATE);
  expect(callback.searchParams.get('iss')).toBe(running.url);
  const { status, body } = await agent.exchange(callback.searchParams.get('code')!);
  expect(status).toBe(200);

  const client = await connectMcp({ urls: [apiUrl], key: body.access_token, version: '2026-07-28' });
  expect(await client.listTools()).toContain('generate');
  const generate = (prompt: string) => client.call('generate', { modelId: 'canvas', params: { prompt }, maxCoins: 10 });
  expect((await generate('a boat')).isError).toBeUndefined();
  // The price is 7 coins, and 3 of the cap are left.
  expect((await generate('a car')).content[0].text).toContain('spend_cap_exceeded');
  expect((await agent.exchange(callback.searchParams.get('code')!)).status).toBe(400);
});

test('a person who refuses sends the agent away without a code', async () => {
  await using agent = await startAgent();
  await page.goto(agent.authorizeUrl);
  await page.getByRole('button', { name: 'Refuse' }).click();
  const callback = await agent.answer;
  expect(callback.searchParams.get('error')).toBe('access_denied');
  expect(callback.searchParams.get('code')).toBeNull();
});

test('a person who is not signed in signs in first', async () => {
  await using agent = await startAgent();
  const context = await running.browser.newContext({ locale: 'en-GB' });
  const stranger = await context.newPage();
  stranger.setDefaultTimeout(SLOW_MS);
  await stranger.goto(agent.authorizeUrl);
  await signIn(stranger, PERSON);
  await stranger.getByRole('button', { name: 'Allow access' }).click();
  const callback = await agent.answer;
  expect(callback.searchParams.get('state')).toBe(STATE);
  expect((await agent.exchange(callback.searchParams.get('code')!)).status).toBe(200);
  await context.close();
});
