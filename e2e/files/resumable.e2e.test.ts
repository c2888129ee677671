import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { Asset, ResumableUpload } from '@atelier/contract';
import { statement } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call } from '../harness/client.ts';
import { type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder, makeVideo } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

let stack: FileStack;
let account: TestAccount;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let video: Buffer;
let png: Buffer;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startFileStack({ services: inject('services'), apis: 2, workers: 0 });
  account = await makeAccount(stack);
  video = await readFile(await makeVideo(folder.dir, 40));
  png = await readFile(await makeFile(folder.dir, 'png'));
});
afterAll(async () => {
  await stack.stop();
  await folder.remove();
});

const PATH = '/v1/uploads/resumable';
const begin = async (bytes: number): Promise<ResumableUpload> => {
  const { status, body } = await call(stack.api(0).url, `POST ${PATH}`, { key: account.key, json: { bytes } });
  expect(status).toBe(201);
  return body;
};
const offsetOf = async (id: string) =>
  (await call(stack.api(0).url, `GET ${PATH}/${id}`, { key: account.key })).body.offset as number;
const append = (url: string, given: { id: string; offset: number; piece: Buffer; key?: string }) =>
  call(url, `PUT ${PATH}/${given.id}?offset=${given.offset}`, {
    key: given.key ?? account.key,
    body: given.piece,
    headers: { 'content-type': 'application/octet-stream' },
  });
const complete = (url: string, id: string, key = account.key) => call(url, `POST ${PATH}/${id}/complete`, { key });

test('a file sent in parts to two processes over a broken connection is the same asset as a plain upload', async () => {
  const plain = (await sendUpload(stack.api(0).url, { key: account.key, path: `${folder.dir}/40mb.mp4` }))
    .body as Asset;
  const { id, chunkBytes, offset } = await begin(video.length);
  expect(offset).toBe(0);
  for (let at = 0, n = 0; at < video.length; at = await offsetOf(id), n += 1) {
    const piece = video.subarray(at, at + chunkBytes);
    // The first attempt at each chunk is interrupted and discarded.
    await sendHalf(stack.api(n % 2).url, { id, offset: at, piece });
    expect(await offsetOf(id)).toBe(at);
    expect(await append(stack.api((n + 1) % 2).url, { id, offset: at, piece })).toMatchObject({
      status: 200,
      body: { offset: at + piece.length },
    });
  }
  // Two concurrent completions and a repeat: one asset.
  const answers = await Promise.all([complete(stack.api(0).url, id), complete(stack.api(1).url, id)]);
  answers.push(await complete(stack.api(0).url, id));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  const asset = answers[0]?.body as Asset;
  const facts = ({ kind, mimeType, width, height, durationSeconds }: Asset) => ({
    kind,
    mimeType,
    width,
    height,
    durationSeconds,
  });
  expect(facts(asset)).toEqual(facts(plain));

  expect(await stack.bucket.keys('u/')).toEqual([]);
  await stack.sweep();
  expect(await stack.verifyFiles()).toEqual({ O1: [], O2: [], O3: [] });
});

test('of two parts for one offset one counts, and a part for another offset returns the expected offset', async () => {
  const { id } = await begin(png.length);
  const answers = await Promise.all([0, 1].map((n) => append(stack.api(n).url, { id, offset: 0, piece: png })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  const late = await append(stack.api(0).url, { id, offset: 0, piece: png });
  expect(late).toMatchObject({ status: 400, body: { code: 'invalid_params', issues: [{ path: 'offset' }] } });
  expect(late.text).toContain(`must be ${png.length}`);
  expect(await complete(stack.api(0).url, id)).toMatchObject({ status: 201, body: { kind: 'image' } });
});

test.each([
  ['longer than the rest of the file', () => Buffer.concat([png, Buffer.alloc(1)])],
  ['small and not the last', () => png.subarray(0, 1_000)],
])('a chunk that is %s is rejected', async (_name, piece) => {
  const { id } = await begin(png.length);
  const answer = await append(stack.api(0).url, { id, offset: 0, piece: piece() });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_params', issues: [{ path: 'Content-Length' }] } });
  expect(await offsetOf(id)).toBe(0);
});

test('another account cannot access it', async () => {
  const { key } = await makeAccount(stack);
  const { id } = await begin(png.length);
  const { url } = stack.api(0);
  expect((await call(url, `GET ${PATH}/${id}`, { key })).status).toBe(404);
  expect((await append(url, { id, offset: 0, piece: png, key })).status).toBe(404);
  expect((await complete(url, id, key)).status).toBe(404);
});

test('the number of open uploads is limited', async () => {
  const { key } = await makeAccount(stack);
  const statuses: number[] = [];
  for (let n = 0; n < 21; n += 1) {
    statuses.push((await call(stack.api(0).url, `POST ${PATH}`, { key, json: { bytes: 10 } })).status);
  }
  expect(statuses).toEqual([...Array(20).fill(201), 429]);
});

test('an incomplete upload is deleted after its expiry, with row and parts', async () => {
  const { id } = await begin(png.length);
  expect((await append(stack.api(0).url, { id, offset: 0, piece: png })).status).toBe(200);
  expect(await stack.bucket.keys('u/')).toHaveLength(1);
  await stack.db.query(
    statement(
      'e2e_expire_pieces',
      `UPDATE resumable_upload SET expires_at = now() - interval '1 second' WHERE id = $1`,
    ),
    [id],
  );
  expect((await complete(stack.api(0).url, id)).status).toBe(404);
  await stack.sweep();
  expect(await stack.bucket.keys('u/')).toEqual([]);
});

/** Sends half of a chunk, then closes the connection. */
function sendHalf(url: string, given: { id: string; offset: number; piece: Buffer }): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request(`${url}${PATH}/${given.id}?offset=${given.offset}`, {
      method: 'PUT',
      agent: false,
      headers: {
        authorization: `Bearer ${account.key}`,
        'content-type': 'application/octet-stream',
        'content-length': given.piece.length,
      },
    });
    outgoing.on('error', () => resolve());
    outgoing.write(given.piece.subarray(0, given.piece.length / 2), () => outgoing.destroy(new Error('gone')));
  });
}
