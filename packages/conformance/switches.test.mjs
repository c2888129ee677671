// 503 and the switches behind it: maintenance, channels, models; models that no worker serves. Needs the operator program.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  account,
  call,
  changesNothing,
  concurrency,
  expectOk,
  expectProblem,
  fixture,
  getGeneration,
  IMAGE,
  imageBody,
  list,
  model,
  newKey,
  PLENTY,
  postGeneration,
  postQuote,
  postUpload,
  quiet,
  quote,
  requiredParams,
  run,
  sleep,
  submit,
  until,
  waitTerminal,
} from './kit.mjs';
import { accepted } from './media.mjs';
import { decided, SPEC_ONLY, skip } from './mode.mjs';
import { between, lacks, operate } from './operator.mjs';
import * as schema from './schema.mjs';

const json = { modelId: IMAGE, params: { prompt: 'sim:ok' } };
/** Longer than the service needs to notice a switch. */
const FOLLOWED_MS = 2_000;
const closing = (what) => ({ first: { ...what, open: false }, last: { ...what, open: true } });
const waitStatus = (what, status) => until(what, async () => (await postQuote(json)).status === status);

const CLOSED = [
  ['maintenance', 'setMaintenance', { first: { on: true }, last: { on: false } }],
  ['channel_disabled', 'setChannel', closing({ channel: 'api' })],
];
for (const [code, action, values] of CLOSED) {
  const whileClosed = (work) =>
    between(action, values, async () => {
      await waitStatus(`quotes are refused with ${code}`, 503);
      await work();
    }).finally(() => waitStatus('quotes are answered again', 200));

  test(`switches: ${code} is 503 for quote, submit and upload, and nothing is charged`, async (t) => {
    if (lacks(t, action)) return;
    const { quoteToken } = await quote(json);
    const refuse = async () => {
      expectProblem(await postQuote(json), 503, code);
      expectProblem(await postGeneration(imageBody()), 503, code);
      expectProblem(await postGeneration({ ...json, quoteToken }), 503, code);
      expectProblem(await postUpload(accepted[0]), 503, code);
    };
    // Errors 2: nothing was charged. Without decisions it is unknown whether the account can be read meanwhile.
    await changesNothing(() => whileClosed(refuse));
  });
  decided(`switches: ${code} refuses no read, and a repeated submit returns its original`, async (t) => {
    if (lacks(t, action)) return;
    const idempotencyKey = newKey();
    const made = await submit(imageBody(), { idempotencyKey });
    await whileClosed(async () => {
      if (code === 'maintenance') {
        await list();
        await account();
        await waitTerminal(made.id);
      }
      // Decisions, order of checks at submit: a replay is a read
      const again = expectOk(await postGeneration(imageBody(), { idempotencyKey }), 200, schema.generation);
      assert.equal(again.id, made.id);
      expectProblem(await postGeneration(imageBody('other'), { idempotencyKey }), 409, 'idempotency_conflict');
      for (const invalid of INVALID)
        expectProblem(await postGeneration(invalid, { idempotencyKey }), 409, 'idempotency_conflict');
    });
  });
}

// Decisions, order of checks at submit: replay or conflict by fingerprint before every other refusal
const INVALID = [
  {},
  [],
  { modelId: 'no-such-model', params: {}, maxCoins: 1 },
  { modelId: IMAGE, params: {}, maxCoins: 1 },
  imageBody('sim:ok', { unknown: 1 }),
  imageBody('sim:ok', { quoteToken: 'no-token' }),
  imageBody('sim:ok', { maxCoins: 0 }),
];
decided(
  'switches: a repeated key with an invalid body is 409 idempotency_conflict before the body is checked',
  async () => {
    const idempotencyKey = newKey();
    await submit(imageBody(), { idempotencyKey });
    for (const invalid of INVALID) {
      expectProblem(await postGeneration(invalid, { idempotencyKey }), 409, 'idempotency_conflict');
      expectProblem(await postGeneration(invalid), [400, 404]);
    }
  },
);
for (const channel of ['web', 'mcp']) {
  decided(`switches: the closed channel ${channel} does not close the API`, async (t) => {
    if (lacks(t, 'setChannel')) return;
    await between('setChannel', closing({ channel }), async () => {
      if (channel === 'mcp' && fixture.mcpUrl)
        await until('MCP is refused', async () => (await callTool('quote', json)).text.includes('channel_disabled'));
      else await sleep(FOLLOWED_MS);
      await submit();
    });
  });
}

test('switches: a closed model is 503 unavailable, and nothing is charged', async (t) => {
  if (lacks(t, 'setModel')) return;
  const { quoteToken } = await quote(json);
  const isClosed = async () => (await postGeneration(imageBody())).body.code === 'unavailable';
  await between('setModel', closing({ model: IMAGE }), async () => {
    await until('submits are refused', isClosed);
    await changesNothing(async () => {
      expectProblem(await postGeneration(imageBody()), 503, 'unavailable');
      expectProblem(await postGeneration({ ...json, quoteToken }), 503, 'unavailable');
    });
    if (SPEC_ONLY) return;
    // Decisions, quoteToken null
    const priced = await quote(json);
    assert.equal(priced.quoteToken, null);
    assert.ok(priced.coins > 0);
  });
  await until('submits are accepted again', async () => (await postGeneration(imageBody())).status === 201);
  assert.notEqual((await quote(json)).quoteToken, null);
});

// ---- Decisions, what holds a slot of the running limit
decided(
  'switches: generations that no worker can take hold no slot of the running limit, and run in order when one can',
  async (t) => {
    if (lacks(t, 'setServed')) return;
    const { imageInput } = fixture.models;
    const params = await requiredParams(await model(imageInput));
    await quiet();
    const [{ limit }, { balance }] = [await concurrency(), await account()];
    const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
    const waiting = [];
    let ended;
    const unserved = { first: { model: IMAGE, served: false }, last: { model: IMAGE, served: true } };
    await between('setServed', unserved, async () => {
      for (let n = 0; n < limit + 2; n += 1) waiting.push(await submit(imageBody('sim:ok:300')));
      ended = await run({ modelId: imageInput, params, maxCoins: PLENTY, consent: true });
      assert.equal(ended.status, 'succeeded', 'a model that is served runs');
      const { running, queued } = await concurrency();
      assert.deepEqual({ running, queued }, { running: 0, queued: waiting.length });
      for (const { id } of waiting) {
        const { status, queueReason } = await getGeneration(id);
        assert.equal(status, 'queued');
        assert.ok(['no_worker', 'capacity'].includes(queueReason), `queueReason is ${queueReason}`);
      }
      const held = sum(waiting.map(({ coinsQuoted }) => coinsQuoted));
      const available = balance.available - ended.coinsCharged - held;
      assert.deepEqual((await account()).balance, { available, held });
    });
    const ends = await Promise.all(waiting.map(({ id }) => waitTerminal(id)));
    for (const { status, coinsCharged, coinsQuoted } of ends)
      assert.deepEqual([status, coinsCharged], ['succeeded', coinsQuoted]);
    // As many as may run start at the same time, in any order; the others follow.
    const starts = ends.map(({ startedAt }) => Date.parse(startedAt));
    assert.ok(Math.max(...starts.slice(0, limit)) < Math.min(...starts.slice(limit)), `started at ${starts}`);
    const charged = sum([ended, ...ends].map(({ coinsCharged }) => coinsCharged));
    assert.deepEqual((await account()).balance, { available: balance.available - charged, held: 0 });
  },
);

// ---- Decisions, `available` negative
decided(
  'switches: an account in debt shows it, is quoted 0 available coins, and is 402 insufficient_coins',
  async (t) => {
    if (lacks(t, 'adjustCoins')) return;
    if (!fixture.keys.debt) return skip(t, 'the fixture has no keys.debt');
    const { available } = (await account('debt')).balance;
    await operate('adjustCoins', { coins: -5 - available });
    try {
      assert.equal((await account('debt')).balance.available, -5);
      const { availableCoins, quoteToken } = await quote(json, 'debt');
      assert.equal(availableCoins, 0); // QuoteResponse: >= 0
      for (const guard of [{ maxCoins: 1_000_000 }, { quoteToken }])
        expectProblem(await postGeneration({ ...json, ...guard }, { key: 'debt' }), 402, 'insufficient_coins');
      assert.deepEqual((await account('debt')).balance, { available: -5, held: 0 });
    } finally {
      await operate('adjustCoins', { coins: 5 });
    }
    assert.equal((await account('debt')).balance.available, 0);
  },
);

// ---- Decisions, channel
decided('switches: a signed-in session has channel web and no key', async (t) => {
  if (lacks(t, 'signIn')) return;
  const { url, headers } = await operate('signIn');
  const shown = expectOk(await call(`GET ${url}`, { headers }), 200, schema.publicAccount);
  assert.deepEqual([shown.channel, shown.key], ['web', null]);
  assert.deepEqual(shown.balance, (await account()).balance, 'it is the account of the key full');
});
decided('switches: a key on the MCP endpoint has channel mcp', async (t) => {
  if (!fixture.mcpUrl) return skip(t, 'the fixture has no mcpUrl');
  const { result } = (await callTool('get_account')).body;
  assert.notEqual(result.isError, true, JSON.stringify(result));
  assert.equal(result.structuredContent.channel, 'mcp');
  assert.equal((await account()).channel, 'api');
});

/** One tool call of the Model Context Protocol. */
async function callTool(name, input = {}) {
  const rpc = (message, session) =>
    call(`POST ${fixture.mcpUrl}`, {
      key: 'full',
      json: { jsonrpc: '2.0', ...message },
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(session && { 'mcp-session-id': session }),
      },
    });
  const clientInfo = { name: 'conformance', version: '1.0.0' };
  const opened = await rpc({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  const session = opened.headers.get('mcp-session-id');
  if (opened.status !== 200) return opened;
  await rpc({ method: 'notifications/initialized' }, session);
  return rpc({ id: 2, method: 'tools/call', params: { name, arguments: input } }, session);
}
