import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Caller } from '../../domain/accounts/caller.ts';
import { createRedis } from '../../platform/redis.ts';
import { createTelemetry } from '../../platform/telemetry.ts';
import { createRateLimiter, WINDOW_SECONDS } from './rate-limit.ts';

const redis = createRedis({ url: inject('services').redisUrl });
beforeAll(async () => void (redis.status === 'ready' || (await once(redis, 'ready'))));
afterAll(async () => void (await redis.quit()));

const limit = createRateLimiter({ redis, telemetry: createTelemetry() });

const callerOf = (limits: { accountId?: string; key?: number; account?: number } = {}): Caller => ({
  accountId: limits.accountId ?? randomUUID(),
  mode: 'test',
  locked: false,
  keyId: randomUUID(),
  scopes: [],
  channel: 'api',
  keyRateLimit: limits.key ?? 100,
  accountRateLimit: limits.account ?? 100,
  requestCap: null,
});

const takeTogether = (callers: readonly Caller[]) => Promise.all(callers.map((caller) => limit(caller)));

test('concurrent requests of one caller get the verdicts that they would get one after the other', async () => {
  const caller = callerOf({ key: 5 });
  const first = await takeTogether(Array(3).fill(caller));
  expect(first.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 4],
    [true, 3],
    [true, 2],
  ]);
  const second = await takeTogether(Array(4).fill(caller));
  expect(second.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
    [false, 0],
  ]);
  expect(second[0]).toMatchObject({ limit: 5, resetSeconds: WINDOW_SECONDS });
});

test('more requests at once than one command holds are all counted', async () => {
  const caller = callerOf({ key: 150, account: 200 });
  const verdicts = await takeTogether(Array(200).fill(caller));
  expect(verdicts.map(({ allowed }) => allowed)).toEqual(Array.from({ length: 200 }, (_, n) => n < 150));
  expect(verdicts.slice(0, 150).map(({ remaining }) => remaining)).toEqual(
    Array.from({ length: 150 }, (_, n) => Math.min(149 - n, 199 - n)),
  );
});

test('keys of one account share its window within a command, and a refused request counts in neither', async () => {
  const accountId = randomUUID();
  const [a, b] = [callerOf({ accountId, account: 5 }), callerOf({ accountId, account: 5, key: 1 })];
  const verdicts = await takeTogether([a, b, b, a, b, a]);
  expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, false, true, false, true]);
  expect(await limit(a)).toMatchObject({ allowed: true, limit: 5, remaining: 0 });
  expect(await limit(a)).toMatchObject({ allowed: false });
  expect(await redis.get(`rl:k:${a.keyId}`)).toBe('4');
  expect(await redis.get(`rl:k:${b.keyId}`)).toBe('1');
});

test('a window ends a minute after its first request', async () => {
  const caller = callerOf();
  await takeTogether([caller, caller]);
  await redis.pexpire(`rl:k:${caller.keyId}`, 30_000);
  await takeTogether([caller, caller]);
  expect(await redis.pttl(`rl:k:${caller.keyId}`)).toBeLessThanOrEqual(30_000);
  expect(await redis.pttl(`rl:a:${caller.accountId}`)).toBeGreaterThan(30_000);
});
