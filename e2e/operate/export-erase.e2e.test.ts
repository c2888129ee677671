import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type FileStack, startFileStack } from '../files/file-stack.ts';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { sendUpload } from '../files/send-upload.ts';
import { makeAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { startReceiverProcess } from '../webhooks/start-receiver-process.ts';
import { runMain } from './run-main.ts';

const WORDS = 'a heron above the lake';

let stack: FileStack;
let folder: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  folder = await makeFolder();
  stack = await startFileStack({ services: inject('services') });
});
afterAll(async () => {
  await stack?.stop();
  await folder?.remove();
});

async function operate(...args: string[]) {
  const { code, stdout, stderr } = await runMain([...args, '--json'], stack.env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

async function readLines(dir: string, name: string): Promise<Array<Record<string, unknown>>> {
  const text = await readFile(join(dir, `${name}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test('an account is exported with its files, then erased, and every invariant holds', async () => {
  const receiver = await startReceiverProcess();
  const [leaving, staying] = [await makeAccount(stack), await makeAccount(stack)];
  await makeEndpoint(stack, { accountId: leaving.accountId, url: `${receiver.url}/shop/0` });
  const png = await makeFile(folder.dir, 'png');
  const upload = await sendUpload(stack.api().url, { key: leaving.key, path: png });
  expect(upload.status).toBe(201);
  const accepted = await Promise.all(
    [leaving, leaving, staying].map(({ key }) => submit(stack.api().url, { key, prompt: WORDS })),
  );
  await until('all generations have ended', async () => {
    const { rows } = await stack.db.pool.query('SELECT 1 FROM generation WHERE completed_at IS NULL');
    return rows.length === 0;
  });
  await until('the webhooks are delivered', async () => (await receiver.arrivals()).length === 2);

  const dir = join(folder.dir, 'export');
  const report = await operate('account', 'export', '--account', leaving.accountId, '--to', dir);
  expect(report).toMatchObject({ accountId: leaving.accountId, missing: [] });
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  const manifest = JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8')) as {
    rows: Record<string, number>;
    files: number;
    contents: Array<{ name: string; bytes: number; sha256: string }>;
  };
  const written = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(manifest.contents).toHaveLength(written.length - 1);
  for (const { name, bytes, sha256 } of manifest.contents) {
    const content = await readFile(join(dir, name));
    expect([name, content.length, createHash('sha256').update(content).digest('hex')]).toEqual([name, bytes, sha256]);
  }
  expect(manifest.rows).toMatchObject({ account: 1, keys: 1, generations: 2, events: 2, endpoints: 1, deliveries: 2 });
  const assets = await readLines(dir, 'assets');
  expect(manifest.files).toBe(assets.length);
  expect((await readLines(dir, 'generations')).map(({ id }) => id).sort()).toEqual(
    accepted
      .slice(0, 2)
      .map(({ body }) => body.id)
      .sort(),
  );
  expect(await readFile(join(dir, 'generations.jsonl'), 'utf8')).toContain(WORDS);
  for (const name of await readdir(dir)) {
    if (!name.endsWith('.jsonl')) continue;
    const text = await readFile(join(dir, name), 'utf8');
    for (const secret of [leaving.key, 'secret_sealed', '"hash"', staying.accountId])
      expect(text).not.toContain(secret);
  }

  const erased = await operate('account', 'erase', '--account', leaving.accountId, '--yes');
  expect(erased).toMatchObject({ canceled: 0, erased: 2 });
  const after = join(folder.dir, 'after');
  expect(await operate('account', 'export', '--account', leaving.accountId, '--to', after)).toMatchObject({ files: 0 });
  for (const name of await readdir(after)) {
    expect(await readFile(join(after, name), 'utf8')).not.toContain(WORDS);
  }
  expect((await call(stack.api().url, 'GET /v1/account', { key: leaving.key })).status).toBe(401);
  expect(
    (await call(stack.api().url, `GET /v1/generations/${accepted[2]?.body.id}`, { key: staying.key })).status,
  ).toBe(200);
  const verified = await runMain(['verify', '--objects'], stack.env);
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
  receiver.stop();
});
