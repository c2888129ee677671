import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { enqueueNow, type FileStack, startFileStack } from '../files/file-stack.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { type Prometheus, startPrometheus } from '../harness/start-prometheus.ts';
import type { Member } from '../harness/start-stack.ts';
import { renderQuickRules, watchAlerts, whileWaiting } from './alert-watch.ts';
import { runMain } from './run-main.ts';

const RESTARTS = 3;
/** More than the API has connections. */
const CLIENTS = 12;
const CONNECTIONS = 3;
const PAUSED_MS = 650;
const RUNNING_MS = 200;

let stack: FileStack;
let prometheus: Prometheus;
let worker: Member;
let account: TestAccount;
const targets = new Map<string, Member>();
const { fired, cleared } = watchAlerts(() => prometheus);

beforeAll(async () => {
  [stack, prometheus] = await Promise.all([
    startFileStack({
      services: inject('services'),
      workers: 0,
      env: { ALLOW_FAULTS: 'true', DATABASE_MAX_CONNECTIONS: String(CONNECTIONS) },
    }),
    startPrometheus(
      renderQuickRules({
        limits: { AtelierProcessRestarting: RESTARTS - 2 },
        // Longer than the restarts take, and than a lease lasts.
        windows: { AtelierProcessRestarting: '60s', AtelierLeasesLost: '60s' },
      }),
    ),
  ]);
  account = await makeAccount(stack);
  await watch('api', stack.api());
});
afterAll(async () => {
  await prometheus?.stop();
  await stack?.stop();
});

test('alerts fire when processes restart, pause or wait, and clear afterwards', { timeout: 300_000 }, async () => {
  await Promise.all([restartOften(), loseLease()]);
  await fired('AtelierProcessRestarting', 'AtelierLeasesLost');

  await loseMarker();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => makeAccount(stack)));
  const lock = await lockAccounts();
  let isOver = false;
  const strained = Promise.all([pauseOften(() => isOver), readOften(clients, () => isOver)]);
  await fired(
    'AtelierBucketRefused',
    'AtelierDatabasePoolExhausted',
    'AtelierEventLoopBlocked',
    'AtelierRequestsSlow',
  ).finally(async () => {
    isOver = true;
    await lock.end();
    await strained;
  });

  const claimed = await runMain(['bucket', 'claim', '--bucket', stack.bucket.name, '--actor', 'Ada'], stack.env);
  expect(claimed, claimed.stderr).toMatchObject({ code: 0 });
  await enqueueNow(stack, 'sweep-files');
  await whileWaiting(
    () => readAccount(),
    cleared(
      'AtelierBucketRefused',
      'AtelierDatabasePoolExhausted',
      'AtelierEventLoopBlocked',
      'AtelierLeasesLost',
      'AtelierProcessRestarting',
      'AtelierRequestsSlow',
    ),
  );
  await stack.assertBooks();
});

/** Scrapes this process too, under a name that stays when it is replaced. */
async function watch(instance: string, member: Member): Promise<void> {
  targets.set(instance, member);
  await prometheus.scrape(
    [...targets].map(([name, each]) => ({ instance: name, host: new URL(each.metricsUrl).host })),
  );
}

const readSeries = async (name: string, instance: string) =>
  Number((await prometheus.query(`${name}{instance="${instance}"}`))[0]?.value[1] ?? Number.NaN);

/** A process that is killed again and again, each time after Prometheus saw it. */
async function restartOften(): Promise<void> {
  let startedAt = 0;
  for (let n = 1; n <= RESTARTS; n += 1) {
    const cdn = await stack.start('cdn');
    await watch('cdn', cdn);
    startedAt = await until('it is scraped', async () => {
      const seen = await readSeries('process_start_time_seconds', 'cdn');
      return seen > startedAt && seen;
    });
    if (n === RESTARTS) return;
    cdn.signal('SIGKILL');
    await cdn.gone();
  }
}

/** A worker that pauses before it settles, until another has settled the same run. */
async function loseLease(): Promise<void> {
  const paused = await stack.start('worker', { FAULT: 'settle.before-commit:sleep9000:0' });
  await watch('paused', paused);
  await until('it is scraped', async () => (await readSeries('atelier_settlements_fenced_total', 'paused')) === 0);
  const { body } = await submit(stack.api().url, { key: account.key, prompt: 'sim:ok:100' });
  const isAt = (status: string) => async () =>
    (await call<{ status: string }>(stack.api().url, `GET /v1/generations/${body.id}`, { key: account.key })).body
      .status === status;
  await until('it runs', isAt('processing'));
  await sleep(5_000);
  paused.signal('SIGSTOP');
  worker = await stack.start('worker');
  await watch('worker', worker);
  await until('another worker has settled it', isAt('succeeded'), 60_000);
  paused.signal('SIGCONT');
  await until(
    'Prometheus saw that its settlement was refused',
    async () => (await readSeries('atelier_settlements_fenced_total', 'paused')) > 0,
  );
  paused.signal('SIGTERM');
  await paused.gone();
  targets.delete('paused');
  await watch('worker', worker);
}

/** Somebody deletes the marker that says whose bucket it is. */
async function loseMarker(): Promise<void> {
  const marker = `${stack.keyPrefix}atelier-owner`;
  const hasMarker = async () =>
    (await stack.bucket.store.list({ prefix: marker, limit: 1 })).some(({ key }) => key === marker);
  await enqueueNow(stack, 'sweep-files');
  await until('the bucket is marked', hasMarker);
  await stack.bucket.store.deleteMany([marker]);
  await enqueueNow(stack, 'sweep-files');
}

/** A transaction that blocks every statement about accounts until its connection ends. */
async function lockAccounts(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stack.ownerUrl });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE account IN ACCESS EXCLUSIVE MODE');
  return client;
}

/** Takes most of its CPU time from the worker. */
async function pauseOften(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    worker.signal('SIGSTOP');
    await sleep(PAUSED_MS);
    worker.signal('SIGCONT');
    await sleep(RUNNING_MS);
  }
}

const readAccount = ({ key }: TestAccount = account) => call(stack.api().url, 'GET /v1/account', { key });

/** Different keys: a process looks up each key once for all requests that wait for it. */
async function readOften(clients: readonly TestAccount[], isOver: () => boolean): Promise<void> {
  const client = async (each: TestAccount) => {
    while (!isOver()) await readAccount(each);
  };
  await Promise.all(clients.map(client));
}
