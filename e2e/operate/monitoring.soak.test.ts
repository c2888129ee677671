import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Generation } from '@atelier/contract';
import { submitGeneration } from '@atelier/server/domain/generations/generations.store.ts';
import { submissionOf } from '@atelier/server/domain/generations/testing/create-money-path.ts';
import { withStatementTx } from '@atelier/server/platform/db.ts';
import { enqueue } from '@atelier/server/queue/enqueue.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { dashboard } from '../../scripts/monitoring/panels.ts';
import { pickFreePort } from '../../scripts/services/pick-free-port.ts';
import { startPostgres, stopPostgres } from '../../scripts/services/postgres.ts';
import { startRedis, stopRedis } from '../../scripts/services/redis.ts';
import type { BackingServices } from '../../scripts/services/state.ts';
import { type FaultProxy, startFaultProxy } from '../files/fault-proxy.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { queryOnce } from '../harness/query-once.ts';
import { type OwnPostgres, startOwnPostgres } from '../harness/start-own-postgres.ts';
import { type Prometheus, startPrometheus } from '../harness/start-prometheus.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { renderQuickRules, WINDOW, watchAlerts, whileWaiting } from './alert-watch.ts';
import { runMain } from './run-main.ts';

const rules = renderQuickRules({
  limits: { AtelierQueueOld: 2, AtelierSettlementLate: 2, AtelierWebhooksLate: 2, AtelierStorageErrors: 2 },
});
/** Mounts a small disk for the temporary files of a process. */
const SPOOL_MB = 64;
const SMALL_SPOOL = [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  `mount -t tmpfs -o size=${SPOOL_MB}m tmpfs "$SPOOL_DIR" && exec "$@"`,
  'sh',
];

let postgres: OwnPostgres;
let services: BackingServices;
let bucket: FaultProxy;
let stack: Stack;
let worker: Member;
let prometheus: Prometheus;
let account: TestAccount;
let backendPort: number;
let backend: Server;
let receiver: { server: Server; url: string; status: number };
let workerEnv: Record<string, string>;
let spoolDir: string;

const { fired, cleared } = watchAlerts(() => prometheus);

beforeAll(async () => {
  const shared = inject('services');
  [postgres, bucket, prometheus, receiver, backendPort] = await Promise.all([
    startOwnPostgres(shared),
    startFaultProxy(shared.s3.endpoint),
    startPrometheus(rules),
    startReceiver(),
    pickFreePort(),
  ]);
  const redisPort = await pickFreePort();
  services = { ...postgres.services, redisUrl: `redis://127.0.0.1:${redisPort}` };
  services.ports = { ...services.ports, redis: redisPort };
  await startRedis(services);
  const file = join(tmpdir(), `monitoring-backends-${process.pid}.yaml`);
  await writeFile(
    file,
    `backends:\n  - name: studio\n    provider: openai\n    url: http://127.0.0.1:${backendPort}\n`,
  );
  spoolDir = await mkdtemp(join(tmpdir(), 'atelier-small-spool-'));
  workerEnv = { BACKENDS_FILE: file, SPOOL_DIR: spoolDir };
  stack = await startStack({ services, apis: 1, workers: 0, env: { S3_ENDPOINT: bucket.url } });
  await prometheus.scrape([hostOf(stack.api())]);
  account = await makeAccount(stack, { runLimit: 100 });
  await makeEndpoint(stack, { accountId: account.accountId, url: receiver.url });
});

afterAll(async () => {
  await stack?.stop();
  await prometheus?.stop();
  await stopRedis(services);
  await postgres?.stop();
  await bucket?.close();
  await rm(spoolDir, { recursive: true, force: true });
  for (const server of [backend, receiver?.server]) server?.close();
});

test('an alert fires until a worker checked the books', { timeout: 180_000 }, async () => {
  // No worker ran yet.
  await fired('AtelierBooksUnverified');
  worker = await stack.start('worker', { ...workerEnv, SAFETY_PROMPT: 'off' }, SMALL_SPOOL);
  await watch();
  await withStatementTx(stack.db, (tx) => enqueue(tx, { queue: 'verify-books', payload: {} }));
  await cleared('AtelierBooksUnverified');
});

test('every panel of the dashboard shows a series of a running service', { timeout: 180_000 }, async () => {
  await generate(3, 'sim:ok');
  const wanted = dashboard
    .flatMap(({ panels }) => panels)
    .flatMap(({ title, rare, queries }) =>
      Object.values(queries).map((expr) => ({ title, rare, expr: expr.replaceAll('$__rate_interval', WINDOW) })),
    );
  expect(wanted.length).toBeGreaterThan(25);
  for (const { title, rare, expr } of wanted) {
    if (rare === true) await prometheus.query(expr);
    else await until(`a series of "${title}": ${expr}`, async () => (await prometheus.query(expr)).length > 0);
  }
});

test('alerts fire when failures are caused, and clear when these end', { timeout: 240_000 }, async () => {
  const causedHere = [
    'AtelierBackendDown',
    'AtelierBooksBroken',
    'AtelierDependencyDown',
    'AtelierGenerationsFailing',
    'AtelierModelsUnserved',
    'AtelierPaymentsParked',
    'AtelierRedisUnavailable',
    'AtelierSpoolNearlyFull',
    'AtelierStorageErrors',
    'AtelierWebhooksFailing',
    'AtelierWebhookSecretsSealed',
  ];
  const [retired, sealed] = await Promise.all([makeAccount(stack), makeAccount(stack)]);
  // The backend does not run since the start.
  await stopRedis(services);
  await breakBooks(1);
  await verify(1);
  // A payment of an account that this database does not know.
  await stack.db.pool.query(
    `INSERT INTO parked_payment_event (id, account_id, event, created_at, parked_at)
     VALUES ('evt_parked', gen_random_uuid(), '{}', now(), now() - interval '2 hours')`,
  );
  receiver.status = 500;
  // A model that the catalog no longer has.
  const unserved = submissionOf(retired, { modelId: 'retired', pool: 'run-local' });
  await withStatementTx(stack.db, (tx) => submitGeneration(tx, unserved));
  // The master key of this endpoint's secret was removed.
  const lostKey = { ...stack.env, MASTER_KEY: randomBytes(32).toString('base64') };
  await makeEndpoint({ db: stack.db, env: lostKey }, { accountId: sealed.accountId, url: receiver.url });
  const filler = `/proc/${worker.pid}/root${spoolDir}/filler`;
  await writeFile(filler, Buffer.alloc(SPOOL_MB * 0.95 * 1024 * 1024));
  bucket.set('down');
  // Their outputs cannot be stored.
  await generate(3, 'sim:ok');
  const work = async () => {
    await generate(3, 'sim:fail:internal');
    await submit(stack.api().url, { key: sealed.key, prompt: 'sim:fail:internal' });
    await fetch(`${stack.api().metricsUrl}/readyz`);
  };
  await whileWaiting(work, fired(...causedHere));

  await startRedis(services);
  await breakBooks(-1);
  await verify(0);
  const discard = ['payment', 'discard', '--event', 'evt_parked'];
  expect(await runMain(discard, stack.env)).toMatchObject({ code: 0 });
  receiver.status = 200;
  bucket.set('pass');
  await rm(filler);
  await call(stack.api().url, `POST /v1/generations/${unserved.id}/cancel`, { key: retired.key });
  backend = await startBackend(backendPort);
  await whileWaiting(() => generate(3, 'sim:ok'), cleared(...causedHere));
});

test('alerts fire while the worker is gone, and clear when another runs', { timeout: 240_000 }, async () => {
  const causedHere = [
    'AtelierProcessDown',
    'AtelierQueueOld',
    'AtelierRoleMissing',
    'AtelierSettlementLate',
    'AtelierWebhooksLate',
  ];
  const late = await submit(stack.api().url, { key: account.key, prompt: 'sim:hold' });
  await until('it runs', async () => {
    const { body } = await call<Generation>(stack.api().url, `GET /v1/generations/${late.body.id}`, {
      key: account.key,
    });
    return body.status === 'processing';
  });
  await fired('AtelierUnsafeSettings');
  worker.signal('SIGKILL');
  await worker.gone();
  // Its deadline passes: the model has three minutes.
  await asOwner('UPDATE generation SET deadline_at = now() WHERE id = $1', [late.body.id]);
  await generate(1, 'sim:ok');
  const { body } = await submit(stack.api().url, { key: account.key });
  // Its event is due at once.
  await call(stack.api().url, `POST /v1/generations/${body.id}/cancel`, { key: account.key });
  await fired(...causedHere);
  worker = await stack.start('worker', workerEnv);
  await watch();
  await cleared(...causedHere, 'AtelierUnsafeSettings');
});

test('alerts fire while a process refuses its catalog or uses another one, and clear after', {
  timeout: 240_000,
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-catalog-'));
  await cp(stack.env.CATALOG_DIR as string, dir, { recursive: true });
  const file = join(dir, 'models/canvas.yaml');
  const text = await readFile(file, 'utf8');
  const other = await stack.start('api', { CATALOG_DIR: dir });
  await prometheus.scrape([stack.api(), worker, other].map(hostOf));
  await writeFile(file, text.replace('perOutput: 7', 'perOutput: 9'));
  await fired('AtelierCatalogsDiffer');
  await writeFile(file, text.replace('perOutput: 7', 'perOutput: seven'));
  await fired('AtelierCatalogRefused');
  await writeFile(file, text);
  await cleared('AtelierCatalogRefused', 'AtelierCatalogsDiffer');
  other.signal('SIGTERM');
  await other.gone();
  await watch();
  await rm(dir, { recursive: true });
});

test('alerts fire while PostgreSQL is down, and clear when it is back', { timeout: 240_000 }, async () => {
  const causedHere = ['AtelierDatabaseUnreadable', 'AtelierRequestsFailing'];
  await stopPostgres(postgres.services, 'immediate');
  await whileWaiting(read, fired(...causedHere));
  await startPostgres(postgres.services);
  await whileWaiting(read, cleared(...causedHere));
  await stack.assertBooks();
});

/** Submits generations; each ends with an event and a webhook. */
async function generate(count: number, prompt: string): Promise<void> {
  for (let n = 0; n < count; n += 1) await submit(stack.api().url, { key: account.key, prompt });
}

const read = () => call(stack.api().url, 'GET /v1/generations', { key: account.key });

const hostOf = ({ metricsUrl }: Member) => new URL(metricsUrl).host;

/** Scrapes the processes that run. */
function watch(): Promise<void> {
  return prometheus.scrape([stack.api(), worker].map(hostOf));
}

/** `verify` as an operator runs it; the exit code says whether it found violations. */
async function verify(code: number): Promise<void> {
  const ended = await runMain(['verify'], stack.env);
  expect(ended, ended.stderr).toMatchObject({ code });
}

/** Changes a balance without a transfer, which only the owner of the tables can do. */
const breakBooks = (coins: number) =>
  asOwner('UPDATE account SET available = available + $1 WHERE id = $2', [coins, account.accountId]);

const asOwner = (text: string, values: readonly unknown[]) => queryOnce(stack.ownerUrl, text, values);

async function startReceiver() {
  const started = { status: 200, url: '', server: createServer() };
  started.server.on('request', (request, response) => {
    request.resume().on('end', () => response.writeHead(started.status).end());
  });
  started.url = await listen(started.server, 0);
  return started;
}

async function startBackend(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}');
  });
  await listen(server, port);
  return server;
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`;
}
