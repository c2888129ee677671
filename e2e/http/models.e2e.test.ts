import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Model, ModelsResponse, QuoteResponse } from '@atelier/contract';
import { setSwitch } from '@atelier/server/domain/operator/set-switch.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { type Answer, call, newIdempotencyKey, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { expectProblem } from './expect-problem.ts';

const DEPRECATED = 'canvas-draft';
const DEPRECATED_AT = '2026-01-01T00:00:00Z';
const LATER = '2126-01-01T00:00:00Z';
const PAST = '2026-02-01T00:00:00Z';
const WORDS = { deprecation: '@1767225600', link: '</v1/models/canvas>; rel="successor-version"' };

let catalogDir: string;
let stack: Stack;
let account: TestAccount;
let live: TestAccount;
const url = () => stack.api().url;

beforeAll(async () => {
  catalogDir = await mkdtemp(join(tmpdir(), 'atelier-models-'));
  await cp(resolve(import.meta.dirname, '../../catalog'), catalogDir, { recursive: true });
  await deprecate(LATER);
  stack = await startStack({
    services: inject('services'),
    apis: 1,
    workers: 1,
    env: { CATALOG_DIR: catalogDir, LIST_EVERY_MODEL: 'false' },
  });
  account = await makeAccount(stack);
  live = await makeAccount(stack, { mode: 'live' });
});

afterAll(async () => {
  await stack?.stop();
  await rm(catalogDir, { recursive: true, force: true });
});

/** Edits the file like an operator; a running service reloads it. */
async function deprecate(sunsetAt: string): Promise<void> {
  const path = join(catalogDir, 'models/canvas.yaml');
  const text = (await readFile(path, 'utf8')).replace(/^ {4}deprecation: .*\n/m, '');
  const line = `    deprecation: { deprecatedAt: "${DEPRECATED_AT}", sunsetAt: "${sunsetAt}", replacement: canvas }\n`;
  const edited = text.replace(`  - id: ${DEPRECATED}\n`, (start) => `${start}${line}`);
  if (edited === text) throw new Error(`${DEPRECATED} is not in ${path}`);
  await writeFile(path, edited);
}

const getModel = (id: string): Promise<Answer<Model>> => call<Model>(url(), `GET /v1/models/${id}`);
const list = async (query = '') => (await call<ModelsResponse>(url(), `GET /v1/models${query}`)).body.models;
const quote = (modelId: string, params: object = { prompt: 'sim:ok' }, key = account.key) =>
  call<QuoteResponse>(url(), 'POST /v1/quotes', { key, json: { modelId, params } });
const submit = (modelId: string, options: { idempotencyKey?: string; key?: string; params?: object } = {}) =>
  call(url(), 'POST /v1/generations', {
    key: options.key ?? account.key,
    headers: { 'idempotency-key': options.idempotencyKey ?? newIdempotencyKey() },
    json: { modelId, params: options.params ?? { prompt: 'sim:ok' }, maxCoins: 1_000 },
  });

function switchModel(modelId: string, closed: boolean) {
  return withTx(stack.db, (tx) => setSwitch(tx, { kind: 'model', modelId, closed }, 'test'));
}

describe('models', () => {
  test('the list contains available models only, with a description for each', async () => {
    const models = await until('a worker offers something', async () => {
      const open = await list();
      return open.length > 0 && open;
    });
    for (const { id, availability, description } of models) {
      expect(availability, id).toEqual({ state: 'open', reason: null });
      expect(description, id).toMatch(/\.$/);
    }
    expect(models.map(({ id }) => id)).not.toContain('canvas');
  });

  test('taskType, modality and workspace filter the list; other values and names are rejected', async () => {
    const all = await list();
    const { taskType, modality, workspace } = all[0]!;
    const expected = (fits: (model: Model) => boolean) => all.filter(fits).map(({ id }) => id);
    const shown = async (query: string) => (await list(query)).map(({ id }) => id);
    expect(await shown(`?taskType=${taskType}`)).toEqual(expected((each) => each.taskType === taskType));
    expect(await shown(`?modality=${modality}`)).toEqual(expected((each) => each.modality === modality));
    expect(await shown(`?workspace=${workspace}&modality=${modality}`)).toEqual(
      expected((each) => each.workspace === workspace && each.modality === modality),
    );
    for (const query of ['?taskType=image.smell', '?workspace=', '?vendor=Atelier']) {
      expectProblem(await call(url(), `GET /v1/models${query}`), { status: 400, code: 'invalid_params' });
    }
  });

  test('GET /v1/models/{id} returns an unavailable model with the reason, and 404 for an unknown one', async () => {
    const closed = await getModel('canvas');
    expect(closed.body).toMatchObject({ id: 'canvas', availability: { state: 'closed', reason: 'no_worker' } });
    expect(closed.headers['cache-control']).toBe('public, max-age=60');
    const again = await call(url(), 'GET /v1/models/canvas', {
      headers: { 'if-none-match': String(closed.headers.etag) },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    const [open] = await list();
    expect((await getModel(open!.id)).body).toEqual(open);
    for (const id of ['no-such-model', '..%2fmodels', '%00', 'x'.repeat(99)]) {
      expectProblem(await getModel(id), { status: 404, code: 'unknown_model' });
    }
  });

  test('the operator closes a model: it leaves the list, its entry and its quotes show the reason, a submit is refused', async () => {
    const { id } = (await list()).find(({ taskType }) => taskType === 'image.generate')!;
    await switchModel(id, true);
    const reason = { state: 'closed', reason: 'operator' };
    await until('the switch takes effect', async () => (await getModel(id)).body.availability.reason === 'operator');
    expect((await list()).map((model) => model.id)).not.toContain(id);
    const { body } = await quote(id);
    expect(body).toMatchObject({ quoteToken: null, availability: reason });
    expect(body.coins).toBeGreaterThan(0);
    const refused = await submit(id);
    expectProblem(refused, { status: 503, code: 'unavailable' });
    expect(refused.body.detail).toBe(`Model ${id} is unavailable: the operator has closed it. Nothing was charged.`);
    await switchModel(id, false);
    await until('the switch is off again', async () => (await quote(id)).body.quoteToken !== null);
  });

  test('a quote of a model without a worker says so to a live key; the simulator serves a test key', async () => {
    const reason = { state: 'closed', reason: 'no_worker' };
    expect((await quote('canvas', { prompt: 'a' }, live.key)).body).toMatchObject({
      quoteToken: null,
      availability: reason,
    });
    const refused = await submit('canvas', { key: live.key });
    expectProblem(refused, { status: 503, code: 'unavailable' });
    expect(refused.body.detail).toContain('no worker serves it at the moment');
    const { body } = await quote('canvas');
    expect(body.availability).toEqual({ state: 'open', reason: null });
    expect(body.quoteToken).not.toBeNull();
  });

  test('all param errors are in one response: unknown, missing and invalid params, and uploads of other accounts', async () => {
    const params = { promt: 'a', num_outputs: { many: true }, style: 'no such style', images: [] };
    for (const answer of [await quote('canvas', params), await submit('canvas', { params })]) {
      expectProblem(answer, { status: 400, code: 'invalid_params' });
      expect((answer.body as unknown as { issues: object[] }).issues).toEqual([
        { path: 'params.promt', message: 'is not a param of this model; did you mean prompt?' },
        { path: 'params.num_outputs', message: 'must be a number' },
        { path: 'params.style', message: expect.stringMatching(/^must be one of/) },
        { path: 'params.images', message: 'is not a param of this model' },
        { path: 'params.prompt', message: 'is required' },
      ]);
    }
    const image = '0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2';
    const foreign = await quote('restorer-upscale', { image, upscale_factor: 3 });
    expect((foreign.body as unknown as { issues: object[] }).issues).toEqual([
      { path: 'params.upscale_factor', message: expect.any(String) },
      { path: 'params.image', message: 'is not an upload of this account' },
    ]);
  });
});

describe('a deprecated model', () => {
  const idempotencyKey = newIdempotencyKey();
  const expectAnnounced = (answer: Answer, sunsetAt: string) =>
    expect(answer.headers).toMatchObject({ ...WORDS, sunset: new Date(sunsetAt).toUTCString() });

  test('quotes and submits have Deprecation and Sunset, also when rejected or replayed', async () => {
    expectAnnounced(await quote(DEPRECATED), LATER);
    const first = await submit(DEPRECATED, { idempotencyKey });
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expectAnnounced(first, LATER);
    expectAnnounced(await quote(DEPRECATED, {}), LATER);
    const replay = await submit(DEPRECATED, { idempotencyKey });
    expect([replay.status, replay.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expectAnnounced(replay, LATER);
    expect((await quote('canvas')).headers).not.toHaveProperty('deprecation');
    expect((await getModel(DEPRECATED)).body.deprecation).toMatchObject({ sunsetAt: LATER, replacement: 'canvas' });
  });

  test('after sunset it is unknown_model, and a repeat of an earlier submit still returns the original', async () => {
    await deprecate(PAST);
    await until('the catalog is reloaded', async () => (await getModel(DEPRECATED)).status === 404);
    for (const answer of [await quote(DEPRECATED), await submit(DEPRECATED), await getModel(DEPRECATED)]) {
      expectProblem(answer, { status: 404, code: 'unknown_model' });
    }
    const replay = await submit(DEPRECATED, { idempotencyKey });
    expect([replay.status, replay.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expectAnnounced(replay, PAST);
  });
});
