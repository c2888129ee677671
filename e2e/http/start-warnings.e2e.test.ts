import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { call, until } from '../harness/client.ts';
import { readMetric } from '../harness/read-metric.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), workers: 0 });
});

afterAll(() => stack?.stop());

const logOf = (member: Member) => member.logs.join('');
const warned = (member: Member, text: string) =>
  until(`the log says "${text}"`, async () => logOf(member).includes(text));

test('there are no warnings at start with a correct setup', async () => {
  const api = await stack.start('api');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(logOf(api)).toBe('');
});

test('warns at start when the database role is the owner or a superuser', async () => {
  const api = await stack.start('api', { DATABASE_URL: stack.ownerUrl });
  await warned(api, 'DATABASE_URL logs in as a superuser');
});

test('every role starts and is ready without its bucket and Redis, and warns about them', async () => {
  const [nobody] = await freePorts(1);
  const nowhere = `127.0.0.1:${nobody}`;
  const env = { REDIS_URL: `redis://${nowhere}`, S3_ENDPOINT: `http://${nowhere}` };
  const roles = ['api', 'worker', 'cdn', 'console', 'desk'] as const;
  const members = await Promise.all(roles.map((role) => stack.start(role, env)));
  for (const member of members) {
    const { role, url, metricsUrl } = member;
    const usesRedis = role !== 'worker' && role !== 'cdn';
    await warned(member, 'object store unavailable');
    if (usesRedis) await warned(member, 'Redis unavailable: each process');
    const down = { database: true, object_store: false, ...(usesRedis ? { redis: false } : {}) };
    await until(`${role} reports what it cannot reach`, async () => {
      const { body } = await call(metricsUrl, 'GET /readyz');
      return body.dependencies.object_store === false && body.dependencies.redis !== true;
    });
    const ready = await call(metricsUrl, 'GET /readyz');
    expect(ready, role).toMatchObject({ status: 200, body: { dependencies: down } });
    expect(ready.body.details.object_store, role).toMatch(/ECONNREFUSED|did not respond/);
    if (role !== 'worker') expect(await call(url, 'GET /readyz'), role).toMatchObject({ status: 200 });
  }
});

test('unsafe settings are loud: at start, in the details of readyz and as a metric', async () => {
  const worker = await stack.start('worker', { SAFETY_PROMPT: 'off', MEDIA_SANDBOX: 'none' });
  await warned(worker, 'MEDIA_SANDBOX=none: programs read files of customers unconfined');
  await warned(worker, 'SAFETY_PROMPT=off: prompts are not classified');
  const { body } = await call(worker.metricsUrl, 'GET /readyz');
  expect(body.details).toMatchObject({
    'setting MEDIA_SANDBOX': 'none: programs read files of customers unconfined',
    'setting SAFETY_PROMPT': 'off: prompts are not classified',
  });
  expect(await readMetric(worker, 'atelier_unsafe_setting{setting="MEDIA_SANDBOX"}')).toBe(1);
  expect(await readMetric(worker, 'atelier_unsafe_setting')).toBe(2);
});

test('warns at start when an environment variable with our prefix is unknown, without its value', async () => {
  const api = await stack.start('api', {
    WEBHOOK_ALOW_HTTP: 'a-value-of-mine',
    DATABASE_POOL_SIZE: 'a-secret-of-mine',
  });
  await warned(api, 'WEBHOOK_ALOW_HTTP: did you mean WEBHOOK_ALLOW_HTTP?');
  await warned(api, 'DATABASE_POOL_SIZE');
  expect(logOf(api)).not.toContain('of-mine');
});
