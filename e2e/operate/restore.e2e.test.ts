import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Asset, Generation, WebhookEvent } from '@atelier/contract';
import { signCallback } from '@atelier/server/domain/generations/run/callbacks.ts';
import { createCheckout } from '@atelier/server/domain/payments/checkouts.ts';
import { createStripePayments } from '@atelier/server/payments/stripe-payments.ts';
import {
  type LocalSession,
  type LocalStripe,
  STRIPE_KEY,
  STRIPE_WEBHOOK_SECRET,
  startStripe,
} from '@atelier/server/payments/testing/start-stripe.ts';
import { systemClock } from '@atelier/server/platform/clock.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { createLog } from '@atelier/server/platform/log.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readFences } from '../../scripts/docs/read-fences.ts';
import { createSandboxDatabase, type SandboxDatabase } from '../../scripts/sandbox/create-sandbox-database.ts';
import { findPostgresProgram } from '../../scripts/services/postgres.ts';
import { runBlocks } from '../docs/run-blocks.ts';
import { type FileStack, startFileStack } from '../files/file-stack.ts';
import { makeFile } from '../files/make-file.ts';
import { makeBucket, type OwnBucket } from '../files/own-bucket.ts';
import { sendUpload } from '../files/send-upload.ts';
import { makeAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { queryOnce } from '../harness/query-once.ts';
import { type OwnPostgres, startOwnPostgres } from '../harness/start-own-postgres.ts';
import type { Member, RoleName } from '../harness/start-stack.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { type ReceiverProcess, startReceiverProcess } from '../webhooks/start-receiver-process.ts';
import { runMain } from './run-main.ts';

const PAGE = new URL('../../docs/operate/backup.md', import.meta.url);
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);
const FINISHED = 3;
const COINS = { id: '1000-800', amount: 1_000, coins: 800 };

let stack: FileStack;
/** Another server and another bucket, as after the loss of the first machine. */
let postgres: OwnPostgres;
let target: { database: SandboxDatabase; bucket: OwnBucket };
let receiver: ReceiverProcess;
let scratch: string;
let stripe: LocalStripe;

beforeAll(async () => {
  const services = inject('services');
  scratch = await mkdtemp(join(tmpdir(), 'atelier-restore-'));
  receiver = await startReceiverProcess();
  stripe = await startStripe();
  const selling = {
    PAYMENTS: 'stripe',
    COIN_PACKAGES: `${COINS.amount}=${COINS.coins}`,
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET,
    STRIPE_API_URL: stripe.url,
  };
  stack = await startFileStack({ services, cdns: 1, env: selling });
  postgres = await startOwnPostgres(services);
  target = {
    database: await createSandboxDatabase(postgres.services.postgresUrl),
    bucket: await makeBucket(services),
  };
});
afterAll(async () => {
  await stack?.stop();
  await target?.bucket.drop();
  await postgres?.stop();
  receiver?.stop();
  await stripe?.[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

/** Runs the commands of one section of the page, like an operator. */
async function follow(section: string, env: Record<string, string>): Promise<void> {
  const blocks = readFences(await readFile(PAGE, 'utf8')).filter(
    (block) => block.language === 'sh' && block.section === section,
  );
  expect(blocks).toHaveLength(1);
  const path = [dirname(process.execPath), dirname(findPostgresProgram('pg_dump')), process.env.PATH].join(':');
  const { code, output } = await runBlocks(blocks, {
    env: { ...env, PATH: path, BACKUP_DIR: join(scratch, 'backup') },
    timeoutMs: TIMEOUT_MS,
  });
  expect(code, output).toBe(0);
}

async function stopRole(role: RoleName): Promise<void> {
  for (const member of stack.members.filter((each) => each.role === role && each.alive())) {
    member.signal('SIGTERM');
    await member.gone();
  }
}

async function hashOf(url: string): Promise<string> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

/** Opens a purchase as the console does. */
async function openPurchase(accountId: string): Promise<LocalSession> {
  const payments = createStripePayments({
    apiUrl: stripe.url,
    secretKey: STRIPE_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    offer: { currency: 'usd', packages: [COINS], contact: null },
    rules: { cell: stack.env.CELL ?? 'c1', locksDisputes: true },
    clock: systemClock,
    log: createLog({ level: 'silent' }),
  });
  const { url } = await createCheckout(
    { db: stack.db, payments, consoleUrl: 'https://console.example.com' },
    { accountId, packageId: COINS.id, actor: 'test', email: 'ada@example.com' },
  );
  return stripe.sessions.get(url.split('/').at(-1) as string) as LocalSession;
}

const readGeneration = (api: Member, key: string, id: string) =>
  call<Generation>(api.url, `GET /v1/generations/${id}`, { key });

const untilEnded = (api: Member, key: string, id: string) =>
  until(`generation ${id} has ended`, async () => {
    const { body } = await readGeneration(api, key, id);
    return body.completedAt === null ? false : body;
  });

async function readFeed(api: Member, key: string, after?: string) {
  const { body } = await call<{ items: WebhookEvent[]; nextAfter: string | null }>(
    api.url,
    `GET /v1/events?limit=100${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`,
    { key },
  );
  return body;
}

test('the commands of docs/operate/backup.md restore the service on another server and bucket, and nothing counts twice', async () => {
  const account = await makeAccount(stack);
  const { key } = account;
  const buyer = await makeAccount(stack, { mode: 'live', coins: 5 });
  await makeEndpoint(stack, { accountId: account.accountId, url: `${receiver.url}/shop/0` });
  const png = await makeFile(scratch, 'png');
  const upload = (await sendUpload(stack.api().url, { key, path: png })).body as Asset;
  const keys = Array.from({ length: FINISHED }, newIdempotencyKey);
  const accepted = await Promise.all(keys.map((idempotencyKey) => submit(stack.api().url, { key, idempotencyKey })));
  const finished = await Promise.all(accepted.map(({ body }) => untilEnded(stack.api(), key, body.id)));
  const output = finished[0]?.outputs[0] as Asset;
  const hashes = [await hashOf(upload.url), await hashOf(output.url)];
  const delivered = async () => new Set((await receiver.arrivals()).map(({ eventId }) => eventId));
  await until('all events are delivered', async () => (await delivered()).size === FINISHED);
  const cursor = await until('the feed has all events', async () => {
    const feed = await readFeed(stack.api(), key);
    return feed.items.length === FINISHED && feed.nextAfter;
  });

  // Without a worker this one is queued in the backup.
  await stopRole('worker');
  const queued = (await submit(stack.api().url, { key })).body;
  await follow('Back up', stack.env);
  const { stdout: readable } = await run('find', [join(scratch, 'backup'), '-perm', '/077']);
  expect(readable, 'readable for others on this machine').toBe('');
  const purchase = await openPurchase(buyer.accountId);
  const payment = [stripe.paid(purchase), stripe.refunded(purchase, COINS.amount / 4)];
  stripe.sendTo(`${stack.api().url}/payments/stripe`);
  for (const event of payment) expect(await stripe.send(event)).toBe(200);
  const lostKey = newIdempotencyKey();
  const lost = (await submit(stack.api().url, { key, idempotencyKey: lostKey })).body;
  for (const role of ['api', 'cdn'] as const) await stopRole(role);

  const place = {
    DATABASE_URL: target.database.appUrl,
    DATABASE_OWNER_URL: target.database.ownerUrl,
    S3_BUCKET: target.bucket.name,
  };
  await follow('Restore', { ...stack.env, ...place });
  expect((await target.bucket.keys()).sort()).toEqual((await stack.bucket.keys()).sort());
  const [api] = await Promise.all([stack.start('api', place), stack.start('cdn', place)]);

  // Repeated submits: what the backup knows is returned, what it does not know is new.
  for (const [n, idempotencyKey] of keys.entries()) {
    const repeated = await submit(api.url, { key, idempotencyKey });
    expect([repeated.status, repeated.body.id]).toEqual([200, finished[n]?.id]);
  }
  expect((await readGeneration(api, key, lost.id)).status).toBe(404);
  expect((await submit(api.url, { key, idempotencyKey: lostKey })).status).toBe(201);

  // A purchase that the backup does not know is credited by its events, once.
  stripe.sendTo(`${api.url}/payments/stripe`);
  for (const event of [...payment, ...payment]) expect(await stripe.send(event)).toBe(200);
  const { balance } = (await call(api.url, 'GET /v1/account', { key: buyer.key })).body;
  expect(balance.available).toBe(5 + (COINS.coins * 3) / 4);

  // Links from before the restore serve the same bytes from the new bucket.
  expect([await hashOf(upload.url), await hashOf(output.url)]).toEqual(hashes);

  // A late callback of a backend changes nothing.
  const ring = createKeyRing([Buffer.from(stack.env.MASTER_KEY as string, 'base64')]);
  const token = signCallback(ring, { generationId: finished[0]?.id as string, attempt: 1 });
  expect((await fetch(`${api.url}/callbacks/${token}`, { method: 'POST' })).status).toBe(202);
  expect((await readGeneration(api, key, finished[0]?.id as string)).body).toMatchObject({
    status: finished[0]?.status,
    coinsCharged: finished[0]?.coinsCharged,
  });

  // Queued work runs, is charged once, and its event follows the cursor from before the restore.
  await stack.start('worker', place);
  expect((await untilEnded(api, key, queued.id)).status).toBe('succeeded');
  const fresh = await until('the new events are in the feed', async () => {
    const feed = await readFeed(api, key, cursor);
    return feed.items.length === 2 && feed.items;
  });
  expect(fresh.map((event) => event.data.generation.id)).toContain(queued.id);
  const whole = (await readFeed(api, key)).items.map(({ id }) => id);
  expect(new Set(whole).size).toBe(FINISHED + 2);

  // A redelivery has the id of the first delivery, so a receiver that remembers ids ignores it.
  await until('the new events are delivered', async () => (await delivered()).size === FINISHED + 2);
  const rows = await queryOnce<{ id: string }>(
    target.database.ownerUrl,
    `SELECT d.id FROM delivery d JOIN event e ON e.id = d.event_id WHERE e.generation_id = '${finished[0]?.id}'`,
  );
  const before = (await receiver.arrivals()).length;
  const redelivery = ['webhook', 'redeliver', '--account', account.accountId, '--delivery', rows[0]?.id as string];
  expect(await runMain(redelivery, { ...stack.env, ...place })).toMatchObject({ code: 0 });
  await until('the redelivery arrives', async () => (await receiver.arrivals()).length > before);
  expect([...(await delivered())].sort()).toEqual([...whole].sort());

  const verified = await runMain(['verify', '--objects'], { ...stack.env, ...place });
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
});

test('a backup says which master key belongs to it, and a service with another key does not start', async () => {
  const fingerprints = JSON.parse(await readFile(join(scratch, 'backup', 'master-keys.json'), 'utf8'));
  expect(fingerprints).toHaveLength(1);
  expect(JSON.stringify(fingerprints)).not.toContain(stack.env.MASTER_KEY);
  const { code, stderr } = await runMain(['cdn'], {
    ...stack.env,
    DATABASE_URL: target.database.appUrl,
    METRICS_PORT: '0',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('MASTER_KEY')]);
});
