import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Asset, Generation } from '@atelier/contract';
import { eraseAccount } from '@atelier/server/entry/operate/erase-account.ts';
import { statement } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { enqueueNow, type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const OUTPUT_DAYS = 7;
let stack: FileStack;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let account: TestAccount;
let png: string;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startFileStack({
    services: inject('services'),
    cdns: 1,
    env: { OUTPUT_RETENTION_DAYS: String(OUTPUT_DAYS) },
  });
  account = await makeAccount(stack);
  png = await makeFile(folder.dir, 'png');
});
afterAll(async () => {
  await stack.stop();
  await folder.remove();
});

async function upload(key = account.key): Promise<Asset> {
  const { status, body } = await sendUpload(stack.api().url, { key, path: png });
  expect(status).toBe(201);
  return body;
}

async function generate(key: string, prompt = 'sim:ok'): Promise<Generation> {
  const { body } = await submit(stack.api().url, { key, prompt });
  return until('the generation ends', async () => {
    const answer = await call<Generation>(stack.api().url, `GET /v1/generations/${body.id}`, { key });
    return answer.body.status === 'succeeded' && answer.body;
  });
}

test('`verify --objects` reports a row without its object', async () => {
  const { id } = await upload();
  expect(await verify()).toMatchObject({ code: 0, violations: 0 });
  await stack.bucket.store.deleteMany([`${stack.keyPrefix}a/${account.accountId}/${id}/thumbnail`]);
  const found = await verify();
  expect(found).toMatchObject({ code: 1, violations: 1 });
  expect(found.O1).toMatchObject([{ id, stored: null }]);
  // Also an object without a row. It is new, so it is reported only with orphans of any age.
  const stray = `${stack.keyPrefix}a/${account.accountId}/${randomUUID()}/file`;
  await stack.bucket.store.putBytes({ key: stray, bytes: Buffer.from('x'), contentType: 'image/png' });
  expect((await stack.verifyFiles()).O2).toEqual([{ key: stray }]);
  await stack.bucket.store.deleteMany([stray]);
  await stack.expire([id]);
  await stack.sweep();
});

test('an erasure removes keys, queued generations, texts and files of an account; its ledger stays', async () => {
  const leaving = await makeAccount(stack, { runLimit: 1 });
  const staying = await makeAccount(stack);
  const [file, other] = [await upload(leaving.key), await upload(staying.key)];
  const done = await generate(leaving.key, 'sim:ok my secret words');
  const running = await submit(stack.api().url, { key: leaving.key, prompt: 'sim:ok:3000' });
  const queued = await submit(stack.api().url, { key: leaving.key, prompt: 'sim:ok secret words that wait' });
  await until('one runs', async () => {
    const { body } = await call(stack.api().url, 'GET /v1/generations/concurrency', { key: leaving.key });
    return body.running === 1 && body.queued === 1;
  });

  const services = { db: stack.db, store: stack.bucket.store, wake: () => {} };
  const erase = (waitMs: number) => eraseAccount(services, { accountId: leaving.accountId, actor: 'operator', waitMs });
  expect(await erase(0)).toEqual({ canceled: 1, erased: 2, members: 0, notErased: null, live: 1, files: 2 });
  const refused = await call(stack.api().url, 'GET /v1/account', { key: leaving.key });
  await until('the key is no longer cached', async () => {
    const answer = await call(stack.api().url, 'GET /v1/account', { key: leaving.key });
    return answer.status === 401 && answer.body.code === 'api_key_revoked';
  });
  expect([200, 401]).toContain(refused.status);
  expect(await erase(30_000)).toEqual({ canceled: 0, erased: 1, members: 0, notErased: null, live: 0, files: 1 });

  const rows = await stack.db.query<{ id: string; said: string }>(
    statement('e2e_words', 'SELECT id, row_to_json(g)::text AS said FROM generation g WHERE account_id = $1'),
    [leaving.accountId],
  );
  expect(rows.map((row) => row.id).sort()).toEqual([done.id, running.body.id, queued.body.id].sort());
  for (const row of rows) expect(row.said).not.toContain('secret');
  expect((await stack.bucket.keys()).filter((key) => key.includes(leaving.accountId))).toEqual([]);
  for (const { url } of [file, ...done.outputs]) expect((await fetch(url)).status).toBe(404);
  expect((await fetch(other.url)).status).toBe(200);
  const [books] = await stack.db.query<{ transfers: number; audited: number }>(
    statement(
      'e2e_books',
      `SELECT (SELECT count(*) FROM transfer WHERE account_id = $1) AS transfers,
         (SELECT count(*) FROM audit_log WHERE account_id = $1 AND action = 'account.erased') AS audited`,
    ),
    [leaving.accountId],
  );
  // The grant; a hold and a capture for two, a hold and a release for one.
  expect(books?.transfers).toBe(7);
  expect(books?.audited).toBeGreaterThan(0);
  expect(await stack.verifyFiles()).toEqual({ O1: [], O2: [], O3: [] });
  await stack.assertBooks();
});

const daysLeft = (asset: Asset) => (Date.parse(asset.expiresAt as string) - Date.now()) / DAY_MS;

test('an upload is kept for 30 days and an output as configured; then row and objects are deleted', async () => {
  const [old, kept] = [await upload(), await upload()];
  const output = (await generate(account.key)).outputs[0] as Asset;
  expect(daysLeft(old)).toBeCloseTo(30, 1);
  expect(daysLeft(output)).toBeCloseTo(OUTPUT_DAYS, 1);

  await stack.expire([old.id, output.id]);
  const before = await stack.bucket.keys();
  await enqueueNow(stack, 'sweep-files');
  await until('the worker has swept', async () => (await stack.bucket.keys()).length < before.length);
  const after = await stack.bucket.keys();
  expect(after.filter((key) => key.includes(old.id) || key.includes(output.id))).toEqual([]);
  expect(after.filter((key) => key.includes(kept.id))).toHaveLength(2);
  for (const { id, url } of [old, output]) {
    expect((await call(stack.api().url, `GET /v1/assets/${id}`, { key: account.key })).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
  }
  expect((await fetch(kept.url)).status).toBe(200);
  expect(await stack.verifyFiles()).toEqual({ O1: [], O2: [], O3: [] });
});

test('a finished generation still cannot be changed', async () => {
  const { id } = await generate(account.key);
  const rewrite = (set: string) => stack.db.pool.query(`UPDATE generation SET ${set} WHERE id = $1`, [id]);
  await expect(rewrite(`coins_charged = 0`)).rejects.toThrow('cannot go from');
  await expect(rewrite(`params = '{"prompt":"other"}'`)).rejects.toThrow('cannot go from');
  await expect(rewrite(`params = '{}', erased_at = now(), coins_charged = 0`)).rejects.toThrow('cannot go from');
});

interface Verified {
  readonly code: number;
  readonly violations: number;
  readonly O1: readonly object[];
}

/** Runs the operator command. */
async function verify(): Promise<Verified> {
  const main = new URL('../../packages/server/src/main.ts', import.meta.url).pathname;
  const { code, stdout } = await promisify(execFile)(process.execPath, [main, 'verify', '--objects', '--json'], {
    env: stack.env,
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
  );
  const { violations, results } = JSON.parse(stdout);
  return { code, violations, O1: results.find((each: { id: string }) => each.id === 'O1').first };
}
