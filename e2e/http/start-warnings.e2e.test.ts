import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { until } from '../harness/client.ts';
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

test('warns at start when S3 or Redis are unavailable', async () => {
  const [port, nobody] = await freePorts(2);
  const nowhere = `127.0.0.1:${nobody}`;
  // Without its bucket it does not become ready, so the stack cannot wait for it.
  const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'api'], {
    env: {
      ...stack.env,
      PORT: String(port),
      METRICS_PORT: '0',
      REDIS_URL: `redis://${nowhere}`,
      S3_ENDPOINT: `http://${nowhere}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  try {
    await until('it warns about Redis', async () => log.includes('Redis unavailable: each process'));
    await until('it warns about the bucket', async () => log.includes('object store unavailable'));
  } finally {
    child.kill('SIGKILL');
    await gone;
  }
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
