import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, isUndecided, submit, until } from '../harness/client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/start-database-proxy.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

const RECOVERY_SECONDS = sized({ ci: 60, full: 20 });
const OUTAGE_MS = 15_000;
const OFFERS_END_SECONDS = 20;
/** More concurrent requests than the pool has connections, so that all are open. */
const BURST = 30;

let stack: Stack;
let proxy: DatabaseProxy;
let api: Member;
let worker: Member;
let account: TestAccount;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0, env: { SHUTDOWN_SECONDS: '1' } });
  proxy = await startDatabaseProxy(stack.appUrl);
  [api, worker] = await Promise.all([
    stack.start('api', { DATABASE_URL: proxy.url }),
    stack.start('worker', { DATABASE_URL: proxy.url }),
  ]);
  account = await makeAccount(stack, { runLimit: 100 });
});
afterEach(() => stack.assertBooks());
afterAll(async () => {
  await stack?.stop();
  await proxy?.stop();
});

const openPools = () =>
  Promise.all(Array.from({ length: BURST }, () => submit(api.url, { key: account.key, prompt: 'sim:fail:internal' })));

/** Which shared parts a member reaches. It stays ready without them: all members would leave their balancer at once. */
async function readDependencies(member: Member): Promise<Record<string, boolean>> {
  const answer = await fetch(`${member.metricsUrl}/readyz`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { dependencies: Record<string, boolean> }).dependencies;
}
const reachesDatabase = async (member: Member) => (await readDependencies(member)).database === true;

/** Sends one request at a time until both roles have responded. Returns the seconds each took. */
async function measureRecovery(fromMs: number): Promise<{ api: number; worker: number }> {
  const seconds = () => (performance.now() - fromMs) / 1000;
  const accepted = await until(
    'a submit is accepted',
    async () => {
      const answer = await submit(api.url, { key: account.key, prompt: 'sim:fail:internal' });
      if (answer.status !== 201) expect(isUndecided(answer), answer.text).toBe(true);
      return answer.status === 201 && answer.body;
    },
    RECOVERY_SECONDS * 2_000,
  );
  const apiSeconds = seconds();
  await until(
    'the worker has run it',
    async () => (await call(api.url, `GET /v1/generations/${accepted.id}`, { key: account.key })).body.completedAt,
    RECOVERY_SECONDS * 2_000,
  );
  return { api: apiSeconds, worker: seconds() };
}

test('half-open database connections: existing ones go silent without a reset, and both roles recover within 20 s', async () => {
  await openPools();
  const before = proxy.silenced;
  proxy.silence();
  const took = await measureRecovery(performance.now());
  console.log(
    `${proxy.silenced - before} connections silenced: a submit was accepted after ${took.api.toFixed(1)} s, ` +
      `a generation ran to its end after ${took.worker.toFixed(1)} s`,
  );
  expect(proxy.silenced - before).toBeGreaterThan(10);
  expect(took.api).toBeLessThan(RECOVERY_SECONDS);
  expect(took.worker).toBeLessThan(RECOVERY_SECONDS);
  expect(api.alive() && worker.alive()).toBe(true);
});

test('new database connections are silent too: both roles report it and stay ready, and recover within 20 s after the network', async () => {
  await openPools();
  proxy.silence({ fresh: true });
  const silencedMs = performance.now();
  await until(
    'both report it',
    async () => !(await reachesDatabase(api)) && !(await reachesDatabase(worker)),
    OUTAGE_MS,
  );
  const noticedSeconds = (performance.now() - silencedMs) / 1000;
  await sleep(OUTAGE_MS - (performance.now() - silencedMs));
  const refused = await call(api.url, 'GET /v1/account', { key: account.key });
  expect(refused.status).toBe(503);
  proxy.speak();
  const took = await measureRecovery(performance.now());
  await until('both reach it', async () => (await reachesDatabase(api)) && (await reachesDatabase(worker)));
  console.log(
    `reported after ${noticedSeconds.toFixed(1)} s; after ${OUTAGE_MS / 1000} s of silence a submit was accepted ` +
      `within ${took.api.toFixed(1)} s, a generation ran to its end within ${took.worker.toFixed(1)} s`,
  );
  expect(took.api).toBeLessThan(RECOVERY_SECONDS);
  expect(took.worker).toBeLessThan(RECOVERY_SECONDS);
  expect(api.alive() && worker.alive(), 'the process does not exit while the whole database is silent').toBe(true);
});

test('a worker that cannot reach its queue reports it in readyz, withdraws its offers, and exits with code 1', async () => {
  const offersOf = async (member: Member) =>
    (await stack.db.pool.query(`SELECT 1 FROM offer WHERE worker LIKE '%-' || $1 || '-%'`, [member.pid])).rowCount ?? 0;
  const stuck = await stack.start('worker', { DATABASE_URL: proxy.url, STUCK_EXIT_SECONDS: '35' });
  await until('it offers something', async () => (await offersOf(stuck)) > 0);
  proxy.silence({ fresh: true, application: 'atelier-queue' });
  const silencedMs = performance.now();
  const seconds = () => (performance.now() - silencedMs) / 1000;
  await until(
    'readyz names the queue',
    async () => {
      const { database, queue } = await readDependencies(stuck);
      return database === true && queue === false;
    },
    OFFERS_END_SECONDS * 1000,
  );
  const reportedSeconds = seconds();
  await until('its offers ended', async () => (await offersOf(stuck)) === 0, OFFERS_END_SECONDS * 1000);
  const offersSeconds = seconds();
  const { code } = await stuck.gone();
  console.log(
    `queue silent: reported after ${reportedSeconds.toFixed(1)} s, no offers after ${offersSeconds.toFixed(1)} s, ` +
      `exit ${code} after ${seconds().toFixed(1)} s`,
  );
  expect(code).toBe(1);
  expect(stuck.logs.join('')).toContain('database connections of this process are stuck');
  proxy.speak();
  await until(
    'the other worker fetches again',
    async () => (await readDependencies(worker)).queue === true,
    RECOVERY_SECONDS * 1000,
  );
});
