// What every part of the kit uses: the fixture, requests, problems, waiting, the webhook receiver.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepted, clips } from './media.mjs';
import * as schema from './schema.mjs';
import { signatureFault as verify } from './signature.mjs';

export { sleep };

if (!process.env.CONFORMANCE_FIXTURE)
  throw new Error('set CONFORMANCE_FIXTURE to the JSON file that the sandbox command wrote (see README.md)');
export const fixture = JSON.parse(readFileSync(process.env.CONFORMANCE_FIXTURE, 'utf8'));
if (process.env.CONFORMANCE_BASE_URL) fixture.baseUrl = process.env.CONFORMANCE_BASE_URL;
export const IMAGE = fixture.models.image;
export const PLENTY = 1_000_000; // a maxCoins that no sandbox price reaches
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** A fresh Idempotency-Key: 32 characters of the allowed set. */
export const newKey = () => randomBytes(24).toString('base64url');

// ---- requests ------------------------------------------------------------------------------------------------------------

/**
 * One request. `operation` is 'METHOD /path'; `key` is a name under fixture.keys; `json` is encoded (a string is sent as it is).
 * Returns { status, headers, bytes, text, body }, where body is the parsed JSON or undefined.
 */
export async function call(operation, { key, json, body, headers = {}, timeoutMs = 20_000 } = {}) {
  const [method, path] = operation.split(' ');
  const sent = new Headers(headers);
  if (key) {
    assert.ok(fixture.keys[key], `the fixture has no key named ${key}`);
    sent.set('authorization', `Bearer ${fixture.keys[key]}`);
  }
  if (json !== undefined) {
    if (!sent.has('content-type')) sent.set('content-type', 'application/json');
    body = typeof json === 'string' ? json : JSON.stringify(json);
  }
  const url = /^https?:/.test(path) ? path : `${fixture.baseUrl}${path}`;
  const response = await fetch(url, {
    method,
    headers: sent,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch {
    /* not JSON: body stays undefined */
  }
  return { operation, status: response.status, headers: response.headers, bytes, text, body: parsed };
}

const summarize = (answer) => `${answer.operation} returned ${answer.status}: ${answer.text.slice(0, 600)}`;

/** Asserts that the response has exactly this success status and that its JSON body conforms. */
export function expectOk(answer, status, validator) {
  assert.equal(answer.status, status, summarize(answer));
  assert.match(
    answer.headers.get('content-type') ?? '',
    /^application\/json\b/i,
    'What the service does 6: bodies are JSON',
  );
  if (validator) schema.assertValid(validator, answer.body, answer.operation);
  return answer.body;
}

/** Asserts that the response is a Problem (Errors 1 and 2). `status` and `code` are one value or a list; without `code` any code of that status passes. */
export function expectProblem(answer, status, code) {
  assert.ok(
    [status].flat().includes(answer.status),
    `expected ${[status].flat().join(' or ')} ${code ?? ''}; ${summarize(answer)}`,
  );
  assert.match(
    answer.headers.get('content-type') ?? '',
    /^application\/problem\+json\b/i,
    `errors are application/problem+json; ${summarize(answer)}`,
  );
  schema.assertValid(schema.problem, answer.body, answer.operation);
  assert.equal(answer.body.status, answer.status, 'Problem.status is the status of the response');
  if (code)
    assert.ok(
      [code].flat().includes(answer.body.code),
      `expected code ${[code].flat().join(' or ')}; ${summarize(answer)}`,
    );
  else
    assert.ok(
      schema.mayHaveStatus(answer.body.code, answer.status),
      `${answer.body.code} is not a code of status ${answer.status}`,
    );
  return answer.body;
}

const names = (text, field) => text.split(/[^A-Za-z0-9_]+/).includes(field);
/** Asserts that the problem lists an issue whose path names this field, in any path notation. */
export function expectIssue(body, field) {
  assert.ok(
    (body.issues ?? []).some((issue) => names(issue.path, field)),
    `no issue names ${field}: ${JSON.stringify(body.issues)}`,
  );
}
/** Asserts that the problem names this field, in an issue or in its detail. */
export function expectNamed(body, field) {
  assert.ok(
    (body.issues ?? []).some((issue) => names(issue.path, field) || names(issue.message, field)) ||
      names(body.detail, field),
    `nothing names ${field}: ${JSON.stringify(body)}`,
  );
}
/** When the problem lists issues, one of them names this field (Errors 5: issues may be absent). */
export function expectIssueIfAny(body, field) {
  if (body.issues?.length) expectNamed(body, field);
}

// ---- operations ----------------------------------------------------------------------------------------------------------

export const postQuote = (json, key = 'full') => call('POST /v1/quotes', { key, json });
export const quote = async (json, key = 'full') => expectOk(await postQuote(json, key), 200, schema.quoteResponse);

/** POST /v1/generations; `idempotencyKey: null` omits the header. */
export const postGeneration = (json, { key = 'full', idempotencyKey = newKey(), headers = {} } = {}) =>
  call('POST /v1/generations', {
    key,
    json,
    headers: idempotencyKey === null ? headers : { ...headers, 'idempotency-key': idempotencyKey },
  });

/** The body of a submit to the image model. */
export const imageBody = (prompt = 'sim:ok', more = {}, params = {}) => ({
  modelId: IMAGE,
  params: { prompt, ...params },
  maxCoins: PLENTY,
  ...more,
});

/** A submit that must be accepted: the new Generation. */
export const submit = async (json = imageBody(), options) =>
  expectOk(await postGeneration(json, options), 201, schema.generation);
export const getGeneration = async (id, key = 'full') =>
  expectOk(await call(`GET /v1/generations/${id}`, { key }), 200, schema.generation);
export const cancel = (id, key = 'full') => call(`POST /v1/generations/${id}/cancel`, { key });
export const list = async (query = '', key = 'full') =>
  expectOk(await call(`GET /v1/generations${query}`, { key }), 200, schema.generationPage);
export const concurrency = async (key = 'full') =>
  expectOk(await call('GET /v1/generations/concurrency', { key }), 200, schema.concurrency);
export const account = async (key = 'full') =>
  expectOk(await call('GET /v1/account', { key }), 200, schema.publicAccount);

export function postUpload({ bytes, type, filename, field = 'file' }, key = 'full') {
  const form = new FormData();
  form.append(field, new Blob([bytes], { type }), filename);
  return call('POST /v1/uploads', { key, body: form, timeoutMs: 60_000 });
}
export const upload = async (file, key = 'full') => expectOk(await postUpload(file, key), 201, schema.asset);

let catalog;
export async function models() {
  catalog ??= expectOk(await call('GET /v1/models'), 200, schema.modelsResponse).models;
  return catalog;
}
export async function model(id) {
  const entry = (await models()).find((each) => each.id === id);
  assert.ok(entry, `the catalog has no model ${id}, which the fixture names`);
  return entry;
}

/** A valid file for a media param of this kind, inside the model's inputLimits. */
export function fileFor(kind, inputLimits = {}) {
  if (kind !== 'video') return accepted.find((file) => file.kind === kind);
  const { minInputSeconds = 0, maxInputSeconds = Infinity } = inputLimits;
  const clip = clips.find((each) => each.seconds >= minInputSeconds && each.seconds <= maxInputSeconds);
  assert.ok(clip, `no clip of ${minInputSeconds} to ${maxInputSeconds} s`);
  return clip;
}

/** Values for exactly the required params of a model; its media are uploaded with the key. */
export async function requiredParams(entry, key = 'full') {
  const params = {};
  for (const descriptor of entry.params.filter((each) => each.required))
    params[descriptor.name] = await validValue(descriptor, entry, key);
  return params;
}
async function validValue(descriptor, entry, key) {
  switch (descriptor.kind) {
    case 'text':
      return 'sim:ok'.padEnd(descriptor.minLength ?? 0, '.').slice(0, descriptor.maxLength);
    case 'enum':
      return entry.defaults[descriptor.name] ?? descriptor.values[0];
    case 'range':
      return entry.defaults[descriptor.name] ?? descriptor.min;
    case 'seed':
      return 1;
    case 'media':
      return (await upload(fileFor(descriptor.accept, entry.inputLimits), key)).id;
    case 'media_list':
      return Promise.all(
        Array.from({ length: Math.max(1, descriptor.minItems) }, async () => (await upload(fileFor('image'), key)).id),
      );
    default:
      throw new Error(`unknown kind ${descriptor.kind}`);
  }
}

// ---- waiting -------------------------------------------------------------------------------------------------------------

export async function until(what, probe, { timeoutMs = 20_000, everyMs = 150 } = {}) {
  const deadline = Date.now() + timeoutMs;
  let seen;
  do {
    seen = await probe();
    if (seen) return seen;
    await sleep(everyMs);
  } while (Date.now() < deadline);
  assert.fail(`waited ${timeoutMs / 1000} s in vain until ${what}`);
}

export const isTerminal = (generation) => ['succeeded', 'failed', 'canceled'].includes(generation.status);
export const waitTerminal = (id, { key = 'full', timeoutMs = 30_000 } = {}) =>
  until(
    `generation ${id} ends`,
    async () => {
      const now = await getGeneration(id, key);
      return isTerminal(now) && now;
    },
    { timeoutMs },
  );
/** Submits and waits until the generation has finished. */
export const run = async (json, options) => waitTerminal((await submit(json, options)).id, { key: options?.key });

/** A Generation without members that may differ between two reads: those beyond the specification, and the links of its outputs. */
export const steady = (generation) => ({
  ...Object.fromEntries(schema.GENERATION_MEMBERS.map((name) => [name, generation[name]])),
  outputs: generation.outputs.map(({ id, kind, mimeType, width, height, durationSeconds }) => ({
    id,
    kind,
    mimeType,
    width,
    height,
    durationSeconds,
  })),
});

/** Waits until the account has no active generations, so that its balance does not change. */
export const quiet = (key = 'full') =>
  until(
    'the account has nothing running or queued',
    async () => {
      const now = await concurrency(key);
      return now.running === 0 && now.queued === 0 && now;
    },
    { timeoutMs: 60_000 },
  );

/** Takes every free running slot of the account with the given simulator prompt; returns the submitted ids. */
export async function fillSlots(prompt, key = 'full') {
  const { limit, running, queued } = await concurrency(key);
  const ids = [];
  for (let free = limit - running - queued; free > 0; free -= 1)
    ids.push((await submit(imageBody(prompt), { key })).id);
  await until('every running slot is taken', async () => (await concurrency(key)).running === limit);
  return ids;
}

// ---- changed text --------------------------------------------------------------------------------------------------------

/** The same text with one letter or digit near the middle changed within its class. */
export function spoil(text) {
  const order = Array.from(text, (_, at) => at).sort(
    (a, b) => Math.abs(a - text.length / 2) - Math.abs(b - text.length / 2),
  );
  const index = order.find((at) => /[A-Za-z0-9]/.test(text[at]));
  const old = text[index];
  const fresh = /[0-9]/.test(old)
    ? String((Number(old) + 1) % 10)
    : /[a-f]/.test(old)
      ? old === 'a'
        ? 'b'
        : 'a'
      : /[A-Z]/.test(old)
        ? old === 'Q'
          ? 'R'
          : 'Q'
        : old === 'q'
          ? 'r'
          : 'q';
  return text.slice(0, index) + fresh + text.slice(index + 1);
}

// ---- the webhook receiver ------------------------------------------------------------------------------------------------

export const deliveries = [];
/** The status to answer a delivery with, or { status, afterMs }; a part may replace it. */
export const receiver = { answer: () => 204 };

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (piece) => chunks.push(piece));
  request.on('end', () => {
    const raw = Buffer.concat(chunks);
    const delivery = { at: Date.now(), method: request.method, path: request.url, headers: request.headers, raw };
    try {
      delivery.event = JSON.parse(raw.toString('utf8'));
    } catch {
      /* judged by the webhook part */
    }
    const answer = receiver.answer(delivery);
    const { status, afterMs = 0 } = typeof answer === 'number' ? { status: answer } : answer;
    delivery.answered = status;
    deliveries.push(delivery);
    setTimeout(() => response.writeHead(status).end(), afterMs).unref();
  });
});

/**
 * The receiver's port is also the kit's lock: parts started concurrently (one process per file) run one after the other,
 * because they share the sandbox's accounts.
 */
async function takeTurn() {
  const deadline = Date.now() + 20 * 60_000;
  for (;;) {
    const error = await new Promise((resolve) => {
      server.once('error', resolve);
      server.listen(fixture.webhook.port, '127.0.0.1', () => {
        server.removeListener('error', resolve);
        resolve(null);
      });
    });
    if (!error) break;
    if (error.code !== 'EADDRINUSE' || Date.now() > deadline) throw error;
    await sleep(200);
  }
  server.unref();
}

before(takeTurn);
after(() => {
  for (const [member, values] of schema.newValues)
    console.log(`new values of ${member} in responses: ${[...values].join(', ')}`);
  server.closeAllConnections();
  server.close();
});

export const headerOf = (delivery, name) => delivery.headers[`${fixture.headerPrefix}-${name}`.toLowerCase()];
export const deliveriesOf = (generationId, path) =>
  deliveries.filter((each) => each.path === path && each.event?.data?.generation?.id === generationId);
export const waitDelivery = (generationId, path, { timeoutMs = 20_000, count = 1 } = {}) =>
  until(
    `delivery ${count} about ${generationId} arrives at ${path}`,
    () => deliveriesOf(generationId, path)[count - 1],
    { timeoutMs, everyMs: 50 },
  );

/** Null for a genuine delivery, otherwise the reason. */
export const signatureFault = (delivery, secret, nowMs = delivery.at) =>
  verify({ header: headerOf(delivery, 'Signature'), raw: delivery.raw, secret, nowMs });

/** Runs `act` on the idle account A and asserts that it neither holds coins nor stores a generation. */
export async function changesNothing(act, key = 'full') {
  await quiet(key);
  const look = async () => ({
    balance: (await account(key)).balance,
    newest: (await list('?limit=1', key)).items[0]?.id,
  });
  const before = await look();
  await act();
  assert.deepEqual(await look(), before, 'nothing is held, nothing is stored');
}
