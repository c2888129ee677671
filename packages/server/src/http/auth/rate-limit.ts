import type { FastifyReply } from 'fastify';
import type { Redis } from 'ioredis';

import type { Caller } from '../../domain/accounts/caller.ts';
import { createBatcher } from '../../platform/flow/batcher.ts';
import { createCircuitBreaker } from '../../platform/flow/circuit-breaker.ts';
import { createRecentMap } from '../../platform/flow/recent-map.ts';
import type { Telemetry } from '../../platform/telemetry.ts';

export interface RateVerdict {
  readonly allowed: boolean;
  /** The tighter of the two windows: the one with less left. */
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export type RateLimiter = (caller: Caller) => Promise<RateVerdict>;

export const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;

/**
 * Checks both fixed windows of each request in one step: a request counts in both or in none. Concurrent requests go in
 * one command, in order. Returns, for each, the usage of its windows and their remaining time.
 */
const TAKE_FROM_BOTH = `
local answers = {}
for n = 1, #KEYS, 2 do
  local key, account = KEYS[n], KEYS[n + 1]
  local used_key = tonumber(redis.call('GET', key) or '0')
  local used_account = tonumber(redis.call('GET', account) or '0')
  local allowed = 0
  if used_key < tonumber(ARGV[n + 1]) and used_account < tonumber(ARGV[n + 2]) then
    allowed = 1
    used_key = redis.call('INCR', key)
    if used_key == 1 then redis.call('PEXPIRE', key, ARGV[1]) end
    used_account = redis.call('INCR', account)
    if used_account == 1 then redis.call('PEXPIRE', account, ARGV[1]) end
  end
  local at = #answers
  answers[at + 1] = allowed
  answers[at + 2] = used_key
  answers[at + 3] = redis.call('PTTL', key)
  answers[at + 4] = used_account
  answers[at + 5] = redis.call('PTTL', account)
end
return answers`;
const ANSWERS_PER_REQUEST = 5;

interface LimiterCommands {
  takeFromBoth(keyCount: number, ...keysAndLimits: Array<string | number>): Promise<number[]>;
}

const MAX_BATCH = 64;
/** Long enough for Redis on a busy machine: a timeout after it has counted would let too many requests through. */
const COMMAND_TIMEOUT_MS = 250;
const BREAKER = { failures: 5, pauseMs: 1_000 };

/**
 * Redis counts for all processes. While it is unavailable, each process counts for itself: no request fails because of it,
 * and at most limit x processes pass. Nothing that protects money depends on this.
 */
export function createRateLimiter(services: { redis: Redis; telemetry: Telemetry }): RateLimiter {
  services.redis.defineCommand('takeFromBoth', { lua: TAKE_FROM_BOTH });
  const commands = services.redis as unknown as LimiterCommands;
  const local = createLocalLimiter();
  const breaker = createCircuitBreaker(BREAKER);
  const judgeHere = (caller: Caller) => {
    services.telemetry.limiterFallbacks.inc();
    return local(caller);
  };
  const judge = createBatcher<Caller, RateVerdict>({
    maxBatch: MAX_BATCH,
    start: 'each-turn',
    async run(batch) {
      let answers: number[];
      try {
        answers = await inTime(
          commands.takeFromBoth(batch.length * 2, ...keysOf(batch), WINDOW_MS, ...limitsOf(batch)),
        );
      } catch {
        breaker.failed();
        return batch.map(judgeHere);
      }
      breaker.succeeded();
      return batch.map((caller, n) => {
        const at = n * ANSWERS_PER_REQUEST;
        // Counted here too, so that a process that loses Redis within a window does not start from zero.
        if (answers[at] === 1) local(caller);
        return tighter(
          answers[at] === 1,
          { limit: caller.keyRateLimit, used: answers[at + 1] as number, leftMs: answers[at + 2] as number },
          { limit: caller.accountRateLimit, used: answers[at + 3] as number, leftMs: answers[at + 4] as number },
        );
      });
    },
  });
  // While Redis does not answer, one request at a time tries it again; the others do not wait for it.
  return (caller) => (breaker.enter() ? judge(caller) : Promise.resolve(judgeHere(caller)));
}

function keysOf(batch: readonly Caller[]): string[] {
  return batch.flatMap((caller) => [`rl:k:${keyWindow(caller)}`, `rl:a:${caller.accountId}`]);
}

/** A session without a key has its own window, one per channel and account. */
function keyWindow(caller: Caller): string {
  return caller.keyId ?? `${caller.channel}:${caller.accountId}`;
}

function limitsOf(batch: readonly Caller[]): number[] {
  return batch.flatMap((caller) => [caller.keyRateLimit, caller.accountRateLimit]);
}

/**
 * One timer per batch; a Redis that hangs counts as unavailable. After a stall of this process, timers run before sockets
 * are read. A response that has already arrived is not late, so the decision waits until the sockets were read.
 */
function inTime<T>(command: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => setImmediate(() => reject(new Error('redis is too slow')));
    const timer = setTimeout(giveUp, COMMAND_TIMEOUT_MS);
    command.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

interface Window {
  readonly limit: number;
  readonly used: number;
  readonly leftMs: number;
}

/** Shows the window with less left. If equal, the one that resets later: before that no request passes. */
function tighter(allowed: boolean, key: Window, account: Window): RateVerdict {
  const left = (window: Window) => Math.max(0, window.limit - window.used);
  // Redis answers below zero for a window that does not exist yet.
  const leftMs = (window: Window) => (window.leftMs < 0 ? WINDOW_MS : window.leftMs);
  const accountFirst = left(account) - left(key) || leftMs(key) - leftMs(account);
  const shown = accountFirst < 0 ? account : key;
  const resetSeconds = Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(leftMs(shown) / 1000)));
  return { allowed, limit: shown.limit, remaining: left(shown), resetSeconds };
}

export function writeRateHeaders(reply: FastifyReply, verdict: RateVerdict): void {
  reply.header('ratelimit-limit', String(verdict.limit));
  reply.header('ratelimit-remaining', String(verdict.remaining));
  reply.header('ratelimit-reset', String(verdict.resetSeconds));
  reply.header('ratelimit-policy', `${verdict.limit};w=${WINDOW_SECONDS}`);
}

const LOCAL_MAX_WINDOWS = 50_000;

/** The same two windows in this process's memory. */
export function createLocalLimiter(): (caller: Caller) => RateVerdict {
  const windows = createRecentMap<{ used: number; endsAtMs: number }>(LOCAL_MAX_WINDOWS);
  const open = (name: string, nowMs: number) => {
    let window = windows.get(name);
    if (window === undefined || window.endsAtMs <= nowMs) {
      window = { used: 0, endsAtMs: nowMs + WINDOW_MS };
      windows.set(name, window);
    }
    return window;
  };
  return (caller) => {
    const nowMs = Date.now();
    const key = open(`k:${keyWindow(caller)}`, nowMs);
    const account = open(`a:${caller.accountId}`, nowMs);
    const allowed = key.used < caller.keyRateLimit && account.used < caller.accountRateLimit;
    if (allowed) {
      key.used += 1;
      account.used += 1;
    }
    return tighter(
      allowed,
      { limit: caller.keyRateLimit, used: key.used, leftMs: key.endsAtMs - nowMs },
      { limit: caller.accountRateLimit, used: account.used, leftMs: account.endsAtMs - nowMs },
    );
  };
}
