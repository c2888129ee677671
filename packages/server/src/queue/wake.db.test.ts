import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { createDb } from '../platform/db.ts';
import { createWake, listenForWakes } from './wake.ts';

const { db, owner, url } = await openTestDatabase();

const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A listener and the wakes it received. Resolves once it listens. */
async function listen(): Promise<{ heard: string[]; errors: string[] }> {
  const heard: string[] = [];
  const errors: string[] = [];
  const listener = listenForWakes({
    url,
    onWake: (queue) => heard.push(queue),
    onError: (error) => errors.push(error.message),
  });
  closing.push(() => listener.close());
  await until('it listens', async () => (await listeners()).length > 0);
  return { heard, errors };
}

async function listeners(): Promise<number[]> {
  const { rows } = await owner.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'atelier-wake'
       AND state = 'idle' AND query LIKE 'LISTEN %'`,
  );
  return rows.map(({ pid }) => pid);
}

async function until(what: string, probe: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!(await probe())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}

test('a wake reaches every listener, once per queue', async () => {
  const { heard } = await listen();
  const wake = createWake(db);
  wake(['run-simulator', 'run-simulator', 'deliver-webhook']);
  await until('both were heard', () => heard.length >= 2);
  await sleep(50);
  expect(heard.sort()).toEqual(['deliver-webhook', 'run-simulator']);
});

test('concurrent wakes are combined', async () => {
  const { heard } = await listen();
  const wake = createWake(db);
  for (let n = 0; n < 500; n += 1) wake(['run-local']);
  await until('it was heard', () => heard.length > 0);
  await sleep(100);
  expect(heard.length).toBeLessThanOrEqual(2);
});

test('an empty wake sends nothing', async () => {
  const { heard } = await listen();
  const wake = createWake(db);
  wake([]);
  wake(['run-remote']);
  await until('it was heard', () => heard.length > 0);
  expect(heard).toEqual(['run-remote']);
});

test('a listener reconnects after its connection is cut', async () => {
  const { heard, errors } = await listen();
  const [pid] = await listeners();
  await owner.pool.query('SELECT pg_terminate_backend($1)', [pid]);
  await until('another connection listens', async () => (await listeners()).some((each) => each !== pid));
  const wake = createWake(db);
  wake(['run-local']);
  await until('it was heard', () => heard.length > 0);
  expect(errors.length).toBeGreaterThan(0);
});

test('a wake that cannot be sent does not throw, and the next one is sent', async () => {
  const errors: unknown[] = [];
  const note = (error: unknown) => errors.push(error);
  process.on('unhandledRejection', note);
  const away = createDb({ url: 'postgres://nobody@127.0.0.1:9/nothing', applicationName: 'away', maxConnections: 1 });
  const wake = createWake(away);
  for (let n = 0; n < 3; n += 1) {
    wake(['run-local']);
    await sleep(30);
  }
  process.off('unhandledRejection', note);
  await away.pool.end();
  expect(errors).toEqual([]);
});

test('names that exceed one payload are sent in several', async () => {
  const { heard } = await listen();
  const names = Array.from({ length: 350 }, (_, index) => `poll/5a0f2c1e-0000-4000-8000-000000000000/${index}`);
  createWake(db)(names);
  await until('all are heard', () => heard.length === names.length);
  expect(new Set(heard)).toEqual(new Set(names));
});
