import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SESSION_SETTINGS } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readFences } from '../../scripts/docs/read-fences.ts';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { sendUpload } from '../files/send-upload.ts';
import { makeAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { queryOnce } from '../harness/query-once.ts';
import { type PgBouncer, startPgBouncer } from '../harness/start-pgbouncer.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { startReceiverProcess } from '../webhooks/start-receiver-process.ts';
import { runMain } from './run-main.ts';

const PAGE = new URL('../../docs/operate/pgbouncer.md', import.meta.url);
/** Fewer than the processes have connections, so that they share them. */
const POOL_SIZE = 6;
const SUBMITS = 60;
const ACCOUNTS = 12;

let stack: Stack;
let pooler: PgBouncer;
const { postgresUrl } = inject('services');

/** The statements of the page, for this database alone: the tests share the server. */
async function readAssignments(): Promise<string[]> {
  const name = new URL(stack.ownerUrl).pathname.slice(1);
  const text = readFences(await readFile(PAGE, 'utf8'))
    .filter(({ language }) => language === 'sh')
    .map((block) => block.text)
    .join('\n');
  const found = Array.from(text.matchAll(/ALTER ROLE atelier (SET .+?);?$/gm), ([, assignment]) => assignment);
  expect(found.length).toBeGreaterThan(0);
  return found.map((assignment) => `ALTER ROLE atelier_service IN DATABASE ${name} ${assignment}`);
}

const settingsOf = () => ({
  DATABASE_URL: pooler.urlOf(stack.appUrl),
  DATABASE_DIRECT_URL: stack.appUrl,
  DATABASE_PREPARE: 'false',
});

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0 });
});
afterAll(async () => {
  await stack?.stop();
  await pooler?.stop();
});

describe('PgBouncer in transaction mode', () => {
  test('a process does not start while the role lacks the settings of the service, and names them', async () => {
    const bare = await startPgBouncer({ postgresUrl, poolSize: POOL_SIZE });
    try {
      const { code, stderr } = await runMain(['cdn'], {
        ...stack.env,
        DATABASE_URL: bare.urlOf(stack.appUrl),
        DATABASE_PREPARE: 'false',
        METRICS_PORT: '0',
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining('statement_timeout = 5000')]);
      expect(stderr).toContain('docs/operate/pgbouncer.md');
    } finally {
      await bare.stop();
    }
  });

  test('the page has every setting of the service', async () => {
    const page = (await readAssignments()).join('\n');
    for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
      expect(page).toMatch(new RegExp(` SET ${name} = '?${value}'?$`, 'm'));
    }
  });

  test('two APIs, a worker, a file host and a console share six server connections', async () => {
    for (const each of await readAssignments()) await queryOnce(stack.ownerUrl, each);
    pooler = await startPgBouncer({ postgresUrl, poolSize: POOL_SIZE });
    const [first, second, ...others] = await Promise.all([
      stack.start('api', settingsOf()),
      stack.start('api', settingsOf()),
      stack.start('worker', settingsOf()),
      stack.start('cdn', settingsOf()),
      // Its sign-in has a pool of its own, and creates a person.
      stack.start('console', {
        ...settingsOf(),
        FIRST_USER_EMAIL: 'ada@example.com',
        FIRST_USER_PASSWORD: randomUUID(),
      }),
    ]);
    const apis = [first, second] as readonly [Member, Member];
    expect(others).toHaveLength(3);
    const receiver = await startReceiverProcess();
    const folder = await makeFolder();
    try {
      const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(stack)));
      for (const { accountId } of accounts) await makeEndpoint(stack, { accountId, url: `${receiver.url}/shop/0` });
      const png = await makeFile(folder.dir, 'png');
      const answers = await Promise.all(
        Array.from({ length: SUBMITS }, (_, n) =>
          submit(apis[n % 2 === 0 ? 0 : 1].url, {
            key: accounts[n % ACCOUNTS]?.key as string,
            prompt: n % 10 === 0 ? 'sim:fail:internal' : 'sim:ok:50',
          }),
        ),
      );
      expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
      const uploads = await Promise.all(
        accounts.map(({ key }, n) => sendUpload(apis[n % 2 === 0 ? 0 : 1].url, { key, path: png })),
      );
      expect(uploads.map(({ status }) => status)).toEqual(uploads.map(() => 201));
      expect((await fetch(uploads[0]?.body.url)).status).toBe(200);
      // Two keys that race: the lock of the transaction holds, whichever server connection each gets.
      const idempotencyKey = randomUUID();
      const races = await Promise.all(
        apis.map(({ url }) => submit(url, { key: accounts[0]?.key as string, idempotencyKey })),
      );
      expect(races.map(({ status }) => status).sort()).toEqual([200, 201]);
      expect(new Set(races.map(({ body }) => body.id)).size).toBe(1);

      await until(
        'every event is delivered',
        async () => new Set((await receiver.arrivals()).map(({ eventId }) => eventId)).size === SUBMITS + 1,
        120_000,
      );
      for (const { key } of accounts) {
        expect((await call(apis[0].url, 'GET /v1/generations?limit=100', { key })).status).toBe(200);
      }
      await stack.assertBooks();
    } finally {
      receiver.stop();
      await folder.remove();
    }

    const database = new URL(stack.appUrl).pathname.slice(1);
    const servers = (await pooler.show('SHOW SERVERS')).filter((row) => row.database === database);
    expect(servers.length).toBeGreaterThan(0);
    expect(servers.length).toBeLessThanOrEqual(POOL_SIZE);
    // A statement that relied on its connection would fail with these.
    const logs = stack.members.map((member) => member.logs.join('')).join('') + pooler.readLog();
    expect(logs).not.toMatch(/prepared statement|unsupported startup parameter|bind message/);
    for (const member of stack.members) {
      expect((await fetch(`${member.metricsUrl}/readyz`)).status).toBe(200);
    }
  });

  test('operator commands and verify go past the pooler', async () => {
    const env = { ...stack.env, ...settingsOf(), DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing' };
    expect(await runMain(['account', 'list', '--json'], env)).toMatchObject({ code: 0 });
    expect(await runMain(['verify'], env)).toMatchObject({ code: 0 });
  });
});
