import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Generation } from '@atelier/contract';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { makeFile, makeFolder } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

const SPOOL_MB = 24;
const FULL_FOR_MS = 8_000;
/** Mounts a small disk as the spool of the process. */
const SMALL_SPOOL = [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  `mount -t tmpfs -o size=${SPOOL_MB}m tmpfs "$SPOOL_DIR" && exec "$@"`,
  'sh',
];

const spoolDir = mkdtempSync(join(tmpdir(), 'atelier-small-spool-'));
let stack: Stack;
let api: Member;
let worker: Member;
let account: TestAccount;
let folder: Awaited<ReturnType<typeof makeFolder>>;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0 });
  api = await stack.start('api', { SPOOL_DIR: spoolDir }, SMALL_SPOOL);
  worker = await stack.start('worker', { SPOOL_DIR: spoolDir }, SMALL_SPOOL);
  account = await makeAccount(stack);
});
afterAll(async () => {
  await stack?.assertBooks();
  await stack?.stop();
  await folder.remove();
  rmSync(spoolDir, { recursive: true, force: true });
});

/** Fills the disk of a process; returns the function that frees it. */
function fill(member: Member): () => void {
  const path = `/proc/${member.pid}/root${spoolDir}/filler`;
  const file = openSync(path, 'w');
  const piece = Buffer.alloc(64 * 1024, 1);
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  } finally {
    closeSync(file);
  }
  return () => rmSync(path);
}

test('a full spool answers 503 for uploads, which work again when there is space', async () => {
  const path = await makeFile(folder.dir, 'png');
  const upload = () => sendUpload(api.url, { key: account.key, path });
  expect((await upload()).status).toBe(201);
  const empty = fill(api);
  const refused = await upload();
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  empty();
  expect((await upload()).status).toBe(201);
});

test('a full spool returns the job to the queue: the generation finishes when there is space', async () => {
  const read = async (id: string) =>
    (await call<Generation>(api.url, `GET /v1/generations/${id}`, { key: account.key })).body;
  const empty = fill(worker);
  const { body } = await submit(api.url, { key: account.key, prompt: 'sim:ok' });
  await until(
    'the job returned to the queue',
    async () => worker.logs.join('').includes('job returned to queue'),
    30_000,
  );
  await sleep(FULL_FOR_MS);
  expect(await read(body.id)).toMatchObject({ status: 'processing', error: null });
  empty();
  const ended = await until<Generation>(
    'the generation ends',
    async () => {
      const generation = await read(body.id);
      return generation.completedAt !== null && generation;
    },
    60_000,
  );
  expect(ended).toMatchObject({ status: 'succeeded' });
});
