import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { formOf } from './form.ts';

// Examples have any shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any;

let stack: Stack;
let key: string;
let document: Any;

beforeAll(async () => {
  stack = await startStack({ services: inject('services') });
  ({ key } = await makeAccount(stack));
  document = JSON.parse(
    await readFile(new URL('../../packages/contract/openapi.json', import.meta.url).pathname, 'utf8'),
  );
});
afterAll(() => stack?.stop());

const operationOf = (id: string): Any =>
  Object.values<Any>(document.paths)
    .flatMap((path) => Object.values<Any>(path))
    .find(({ operationId }) => operationId === id);
const requestOf = (id: string): Any => operationOf(id).requestBody.content['application/json'].example;
const responseOf = (id: string, status = 200): Any =>
  operationOf(id).responses[status].content['application/json'].example;
const queryOf = (id: string): string => {
  const given = operationOf(id).parameters.filter(
    ({ in: place, example }: Any) => place === 'query' && example !== undefined,
  );
  return new URLSearchParams(given.map(({ name, example }: Any) => [name, String(example)])).toString();
};
const send = (operation: string, options: object = {}) => call(stack.api().url, operation, { key, ...options });
/** The same fields, whatever their values. */
const expectFields = (body: object, example: object) =>
  expect(Object.keys(body).sort()).toEqual(Object.keys(example).sort());

test('every example of the OpenAPI document works: its models, effects, prices and responses are real', async () => {
  const listed = await send(`GET /v1/models?${queryOf('listModels')}`);
  const [model] = responseOf('listModels').models;
  const { availability: _, ...entry } = listed.body.models.find(({ id }: Any) => id === model.id);
  expect({ ...entry, availability: model.availability }).toEqual(model);
  const one = await send(`GET /v1/models/${responseOf('getModel').id}`);
  expect({ ...one.body, availability: null }).toEqual({ ...responseOf('getModel'), availability: null });

  const [effect] = responseOf('listEffects').effects;
  const effects = (await send('GET /v1/effects')).body.effects;
  const found = effects.find(({ id }: Any) => id === effect.id);
  expect({ ...found, thumbnail: new URL(found.thumbnail).pathname }).toEqual({
    ...effect,
    thumbnail: new URL(effect.thumbnail).pathname,
  });

  const shown = responseOf('createUpload', 201);
  const size = { width: shown.width, height: shown.height };
  const bytes = await sharp({ create: { ...size, channels: 3, background: '#c04020' } })
    .jpeg()
    .toBuffer();
  const upload = await send('POST /v1/uploads', formOf(bytes));
  expect(upload.status, upload.text).toBe(201);
  expectFields(upload.body, shown);
  const { kind, mimeType, width, height } = shown;
  expect(upload.body).toMatchObject({ kind, mimeType, width, height });
  const pieces = await send('POST /v1/uploads/resumable', { json: requestOf('createResumableUpload') });
  expect(pieces.body).toMatchObject({ bytes: responseOf('createResumableUpload', 201).bytes, offset: 0 });
  expectFields(pieces.body, responseOf('createResumableUpload', 201));

  const withUpload = (body: Any) => ({ ...body, params: { ...body.params, image: upload.body.id } });
  const quoted = await send('POST /v1/quotes', { json: withUpload(requestOf('createQuote')) });
  const price = responseOf('createQuote');
  expectFields(quoted.body, price);
  const { modelId, coins, coinsPerOutput, outputs, lines, availability } = price;
  expect(quoted.body).toMatchObject({ modelId, coins, coinsPerOutput, outputs, lines, availability });

  const json = { ...withUpload(requestOf('createGeneration')), quoteToken: quoted.body.quoteToken };
  const headers = { 'idempotency-key': newIdempotencyKey() };
  const created = await send('POST /v1/generations', { json, headers });
  const generation = responseOf('createGeneration', 201);
  expect(created.status, created.text).toBe(201);
  expectFields(created.body, generation);
  const { modelName, taskType, modality, workspace, coinsQuoted, outputsRequested, projectId } = generation;
  const facts = { modelName, taskType, modality, workspace, coinsQuoted, outputsRequested, projectId };
  expect(created.body).toMatchObject({ ...facts, modelId: generation.modelId });
  const replayed = await send('POST /v1/generations', { json, headers });
  expect([replayed.status, replayed.body.id]).toEqual([200, created.body.id]);

  const ended = await until('the generation ends', async () => {
    const { body } = await send(`GET /v1/generations/${created.body.id}`);
    return body.completedAt !== null && body;
  });
  const succeeded = responseOf('getGeneration');
  expect(ended).toMatchObject({ ...facts, status: succeeded.status, coinsCharged: succeeded.coinsCharged });
  expectFields(ended.outputs[0], succeeded.outputs[0]);
  expectFields((await send(`GET /v1/assets/${ended.outputs[0].id}`)).body, responseOf('getAsset'));
  const page = await send(`GET /v1/generations?${queryOf('listGenerations')}`);
  expect(page.body.items.map(({ id }: Any) => id)).toContain(created.body.id);
  expectFields((await send('GET /v1/generations/concurrency')).body, responseOf('getConcurrency'));
  const account = (await send('GET /v1/account')).body;
  expectFields(account, responseOf('getAccount'));
  expectFields(account.key, responseOf('getAccount').key);
  const held = await send('POST /v1/generations', {
    json: { modelId: 'canvas', params: { prompt: 'sim:hold' }, maxCoins: 100 },
    headers: { 'idempotency-key': newIdempotencyKey() },
  });
  const canceled = await send(`POST /v1/generations/${held.body.id}/cancel`);
  if (canceled.status === 200) expectFields(canceled.body, responseOf('cancelGeneration'));
  await until('the event is listed', async () => {
    const { body } = await send('GET /v1/events?limit=30');
    const event = body.items.find(({ type }: Any) => type === 'generation.succeeded');
    if (event === undefined) return false;
    expectFields(event, responseOf('listEvents').items[0]);
    return true;
  });
});

test('models and effects describe 304, ETag and Cache-Control as they behave', async () => {
  for (const [id, path] of [
    ['listModels', '/v1/models'],
    ['getModel', '/v1/models/canvas'],
    ['listEffects', '/v1/effects'],
  ] as const) {
    const { responses, parameters } = operationOf(id);
    expect(Object.keys(responses[200].headers), id).toEqual(expect.arrayContaining(['ETag', 'Cache-Control']));
    expect(Object.keys(responses[304].headers), id).toEqual(['ETag', 'Cache-Control']);
    expect(parameters.map(({ name }: Any) => name)).toContain('If-None-Match');
    expect(document.components.headers['Cache-Control'].example).toBe('public, max-age=60');
    // The worker may announce an engine between the two requests.
    await until('nothing has changed', async () => {
      const fresh = await send(`GET ${path}`);
      expect(fresh.headers['cache-control']).toBe('public, max-age=60');
      const etag = String(fresh.headers.etag);
      expect(etag).toMatch(new RegExp(document.components.headers.ETag.schema.pattern));
      const again = await fetch(`${stack.api().url}${path}`, { headers: { 'if-none-match': etag } });
      if (again.status !== 304) return false;
      expect([again.headers.get('etag'), await again.text()]).toEqual([etag, '']);
      return true;
    });
  }
});
