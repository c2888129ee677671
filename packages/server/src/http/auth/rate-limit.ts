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
 * Checks both fixed windows of each caller in one step: a request counts in both or in none. Concurrent requests go in one
 * command, those of one caller as a number. Returns, for each caller, how many pass, and the usage and remaining time
 * of its windows.
 */
const TAKE_FROM_BOTH = `
local answers = {}
for n = 1, #KEYS / 2 do
  local key, account = KEYS[n * 2 - 1], KEYS[n * 2]
  local used_key = tonumber(redis.call('GET', key) or '0')
  local used_account = tonumber(redis.call('GET', account) or '0')
  local left_key, left_account = tonumber(ARGV[n * 3 - 1]) - used_key, tonumber(ARGV[n * 3]) - used_account
  local allowed = math.max(0, math.min(tonumber(ARGV[n * 3 + 1]), left_key, left_account))
  if allowed > 0 then
    used_key = redis.call('INCRBY', key, allowed)
    if used_key == allowed then redis.call('PEXPIRE', key, ARGV[1]) end
    used_account = redis.call('INCRBY', account, allowed)
    if used_account == allowed then redis.call('PEXPIRE', account, ARGV[1]) end
  end
  local at = #answers
  answers[at + 1] = allowed
  answers[at + 2] = used_key
  answers[at + 3] = redis.call('PTTL', key)
  answers[at + 4] = used_account
  answers[at + 5] = redis.call('PTTL', account)
end
return answers`;
const ANSWERS_PER_CALLER = 5;

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
      const counts = new Map<Caller, number>();
      for (const caller of batch) counts.set(caller, (counts.get(caller) ?? 0) + 1);
      let answers: number[];
      try {
        answers = await inTime(
          commands.takeFromBoth(counts.size * 2, ...keysOf(counts), WINDOW_MS, ...limitsOf(counts)),
        );
      } catch {
        breaker.failed();
        return batch.map(judgeHere);
      }
      breaker.succeeded();
      const turns = new Map<Caller, () => RateVerdict>();
      let at = 0;
      for (const caller of counts.keys()) {
        const answer = answers.slice(at, at + ANSWERS_PER_CALLER);
        // Counted here too, so that a process that loses Redis within a window does not start from zero.
        if (answer[0] !== 0) local(caller, answer[0]);
        turns.set(caller, takeTurns(caller, answer));
        at += ANSWERS_PER_CALLER;
      }
      return batch.map((caller) => (turns.get(caller) as () => RateVerdict)());
    },
  });
  // While Redis does not answer, one request at a time tries it again; the others do not wait for it.
  return (caller) => (breaker.enter() ? judge(caller) : Promise.resolve(judgeHere(caller)));
}

/** The verdicts of one caller's requests, in order, as if each had been counted alone. */
function takeTurns(caller: Caller, answer: readonly number[]): () => RateVerdict {
  const [allowed, usedKey, keyLeftMs, usedAccount, accountLeftMs] = answer as [number, number, number, number, number];
  let turn = 0;
  return () => {
    turn += 1;
    const later = Math.max(0, allowed - turn);
    return tighter(
      turn <= allowed,
      { limit: caller.keyRateLimit, used: usedKey - later, leftMs: keyLeftMs },
      { limit: caller.accountRateLimit, used: usedAccount - later, leftMs: accountLeftMs },
    );
  };
}

function keysOf(counts: ReadonlyMap<Caller, number>): string[] {
  return [...counts.keys()].flatMap((caller) => [`rl:k:${keyWindow(caller)}`, `rl:a:${caller.accountId}`]);
}

/** A session without a key has its own window, one per channel and account. */
function keyWindow(caller: Caller): string {
  return caller.keyId ?? `${caller.channel}:${caller.accountId}`;
}

function limitsOf(counts: ReadonlyMap<Caller, number>): number[] {
  return [...counts].flatMap(([caller, count]) => [caller.keyRateLimit, caller.accountRateLimit, count]);
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

/** The same two windows in this process's memory. A count above one is of requests that Redis has allowed. */
export function createLocalLimiter(): (caller: Caller, count?: number) => RateVerdict {
  const windows = createRecentMap<{ used: number; endsAtMs: number }>(LOCAL_MAX_WINDOWS);
  const open = (name: string, nowMs: number) => {
    let window = windows.get(name);
    if (window === undefined || window.endsAtMs <= nowMs) {
      window = { used: 0, endsAtMs: nowMs + WINDOW_MS };
      windows.set(name, window);
    }
    return window;
  };
  return (caller, count = 1) => {
    const nowMs = Date.now();
    const key = open(`k:${keyWindow(caller)}`, nowMs);
    const account = open(`a:${caller.accountId}`, nowMs);
    const allowed = key.used < caller.keyRateLimit && account.used < caller.accountRateLimit;
    if (allowed) {
      key.used += count;
      account.used += count;
    }
    return tighter(
      allowed,
      { limit: caller.keyRateLimit, used: key.used, leftMs: key.endsAtMs - nowMs },
      { limit: caller.accountRateLimit, used: account.used, leftMs: account.endsAtMs - nowMs },
    );
  };
}
