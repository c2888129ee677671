import { randomUUID } from 'node:crypto';
import type { Asset, Model, ParamDescriptor } from '@atelier/contract';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { signLink } from '@atelier/server/platform/signed-link.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

type Kind = 'image' | 'audio' | 'video';
type Media = Extract<ParamDescriptor, { kind: 'media' | 'media_list' }>;

const TYPES = { image: 'png', audio: 'wav', video: 'mp4' } as const;
const OLD_KEY = Buffer.alloc(32, 7);
const NEW_KEY = Buffer.alloc(32, 8);

let stack: FileStack;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let mine: TestAccount;
let theirs: TestAccount;
let models: Model[];
const uploads = {} as Record<'mine' | 'theirs' | 'expired', Record<Kind, Asset>>;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startFileStack({
    services: inject('services'),
    cdns: 1,
    env: { MASTER_KEY: [NEW_KEY, OLD_KEY].map((key) => key.toString('base64')).join(',') },
  });
  mine = await makeAccount(stack);
  theirs = await makeAccount(stack);
  models = (await call(stack.api().url, 'GET /v1/models')).body.models;
  const paths = Object.fromEntries(
    await Promise.all(Object.entries(TYPES).map(async ([kind, type]) => [kind, await makeFile(folder.dir, type)])),
  );
  const uploadAll = async ({ key }: TestAccount) =>
    Object.fromEntries(
      await Promise.all(
        Object.keys(TYPES).map(async (kind) => {
          const answer = await sendUpload(stack.api().url, { key, path: paths[kind] });
          expect(answer).toMatchObject({ status: 201, body: { kind } });
          return [kind, answer.body];
        }),
      ),
    ) as Record<Kind, Asset>;
  [uploads.mine, uploads.theirs, uploads.expired] = await Promise.all([
    uploadAll(mine),
    uploadAll(theirs),
    uploadAll(mine),
  ]);
  await stack.expire(Object.values(uploads.expired).map((asset) => asset.id));
});
afterAll(async () => {
  await stack.stop();
  await folder.remove();
});

const get = (id: string, key: string) => call(stack.api().url, `GET /v1/assets/${id}`, { key });

/** Valid params of the model, with the media returned by `give`. */
function fill(model: Model, give: (param: Media) => string): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const param of model.params) {
    if (param.kind === 'media') {
      if (param.required) params[param.name] = give(param);
    } else if (param.kind === 'media_list') {
      if (param.required) params[param.name] = [give(param)];
    } else if (param.required && param.kind === 'text') params[param.name] = 'sim:ok and some more words to say';
    else if (param.required && param.kind === 'enum') params[param.name] = param.values[0];
    else if (param.required && param.kind === 'range') params[param.name] = param.min;
  }
  return params;
}

const isMedia = (param: ParamDescriptor): param is Media => param.kind === 'media' || param.kind === 'media_list';

test('uploads that are unknown, expired or of another account are rejected alike, in every media param of every model', async () => {
  let cells = 0;
  for (const model of models) {
    for (const param of model.params.filter(isMedia)) {
      const own = fill(model, (each) => uploads.mine[each.accept].id);
      const place = (id: string) => ({ ...own, [param.name]: param.kind === 'media' ? id : [id] });
      const ask = async (operation: string, id: string) => {
        const submitting = operation.endsWith('generations');
        const answer = await call(stack.api().url, operation, {
          key: mine.key,
          ...(submitting ? { headers: { 'idempotency-key': newIdempotencyKey() } } : {}),
          json: {
            modelId: model.id,
            params: place(id),
            ...(submitting ? { maxCoins: 1_000_000, consent: true } : {}),
          },
        });
        cells += 1;
        const { instance: _instance, ...body } = answer.body;
        return { status: answer.status, body };
      };
      // The same request with its own upload succeeds, so only the id is rejected below.
      expect(await ask('POST /v1/quotes', uploads.mine[param.accept].id)).toMatchObject({ status: 200 });
      for (const operation of ['POST /v1/quotes', 'POST /v1/generations']) {
        const foreign = await ask(operation, uploads.theirs[param.accept].id);
        expect(foreign).toMatchObject({ status: 400, body: { code: 'invalid_params' } });
        expect(foreign.body.issues[0].path).toContain(`params.${param.name}`);
        expect(await ask(operation, uploads.expired[param.accept].id)).toEqual(foreign);
        expect(await ask(operation, randomUUID())).toEqual(foreign);
      }
    }
  }
  console.log(`${cells} requests over the media params of ${models.length} models`);
  expect(cells).toBeGreaterThan(60);
});

test("another account's upload and output are not found, with the same response as for an unknown id", async () => {
  const submitted = await submit(stack.api().url, { key: theirs.key });
  const output = await until('the output is stored', async () => {
    const { body } = await call(stack.api().url, `GET /v1/generations/${submitted.body.id}`, { key: theirs.key });
    return body.outputs[0] as Asset | undefined;
  });
  const never = await get(randomUUID(), mine.key);
  expect(never).toMatchObject({ status: 404, body: { code: 'not_found' } });
  const { instance: _never, ...words } = never.body;
  for (const asset of [output, ...Object.values(uploads.theirs), ...Object.values(uploads.expired)]) {
    const { status, body } = await get(asset.id, mine.key);
    const { instance: _instance, ...said } = body;
    expect({ status, said }).toEqual({ status: 404, said: words });
  }
  for (const asset of [output, ...Object.values(uploads.theirs)])
    expect((await get(asset.id, theirs.key)).status).toBe(200);
});

test('a signed link serves its own file until it expires or the row is deleted', async () => {
  const links = (asset: Asset) => [asset.url, asset.thumbnailUrl];
  for (const url of links(uploads.mine.image)) expect((await fetch(url)).status).toBe(200);

  // The row has expired, but the sweep has not run.
  for (const url of links(uploads.expired.image)) expect((await fetch(url)).status).toBe(404);
  await stack.sweep();
  for (const url of links(uploads.expired.image)) expect((await fetch(url)).status).toBe(404);

  const swapped = uploads.mine.image.url.replace(uploads.mine.image.id, uploads.theirs.image.id);
  expect((await fetch(swapped)).status).toBe(403);

  const sign = (key: Buffer, seconds: number) => {
    const keys = createKeyRing([key]);
    return signLink({
      key: keys.key('link') as Buffer,
      kid: keys.kid,
      origin: stack.env.CDN_URL as string,
      assetId: uploads.mine.image.id,
      variant: 'file',
      disposition: 'inline',
      expiresAtSeconds: Math.floor(Date.now() / 1000) + seconds,
    });
  };
  expect((await fetch(sign(NEW_KEY, 60))).status).toBe(200);
  // Signed before a rotation of the master key.
  expect((await fetch(sign(OLD_KEY, 60))).status).toBe(200);
  expect((await fetch(sign(NEW_KEY, -1))).status).toBe(403);
  expect((await fetch(sign(Buffer.alloc(32, 9), 60))).status).toBe(403);
});

test('every file and preview has its own ETag for conditional requests', async () => {
  const { video } = uploads.mine;
  const tags = new Set<string>();
  for (const url of [video.url, video.thumbnailUrl, video.posterUrl as string]) {
    const answer = await fetch(url);
    const etag = answer.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    tags.add(etag);
  }
  expect(tags.size).toBe(3);
});
