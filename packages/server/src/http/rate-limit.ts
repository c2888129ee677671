import type { Redis } from 'ioredis';
import type { Caller } from '../domain/accounts/caller.ts';
import type { Telemetry } from '../platform/telemetry.ts';

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

/** Both fixed windows in one step: a request takes from both or from none. Answers what each has used and how long it lasts. */
const TAKE_FROM_BOTH = `
local used_key = tonumber(redis.call('GET', KEYS[1]) or '0')
local used_account = tonumber(redis.call('GET', KEYS[2]) or '0')
local allowed = 0
if used_key < tonumber(ARGV[1]) and used_account < tonumber(ARGV[2]) then
  allowed = 1
  used_key = redis.call('INCR', KEYS[1])
  if used_key == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
  used_account = redis.call('INCR', KEYS[2])
  if used_account == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
end
return {allowed, used_key, redis.call('PTTL', KEYS[1]), used_account, redis.call('PTTL', KEYS[2])}`;

interface LimiterCommands {
  takeFromBoth(
    key: string,
    account: string,
    keyLimit: number,
    accountLimit: number,
    windowMs: number,
  ): Promise<number[]>;
}

const BREAKER_ERRORS = 5;
const BREAKER_PAUSE_MS = 1_000;

/**
 * Redis counts for all processes together. When it is away, each process counts for itself: no request fails for it, and
 * at most limit x processes pass. Nothing that protects money depends on this.
 */
export function createRateLimiter(services: { redis: Redis; telemetry: Telemetry }): RateLimiter {
  services.redis.defineCommand('takeFromBoth', { numberOfKeys: 2, lua: TAKE_FROM_BOTH });
  const commands = services.redis as unknown as LimiterCommands;
  const local = createLocalLimiter();
  let errors = 0;
  let closedUntilMs = 0;

  return async (caller) => {
    if (Date.now() >= closedUntilMs) {
      try {
        // The braces keep both windows of an account on one node of a cluster.
        const answer = await commands.takeFromBoth(
          `rl:{${caller.accountId}}:k:${caller.keyId}`,
          `rl:{${caller.accountId}}:a`,
          caller.keyRateLimit,
          caller.accountRateLimit,
          WINDOW_MS,
        );
        errors = 0;
        const [allowed, usedKey, keyMs, usedAccount, accountMs] = answer as [number, number, number, number, number];
        return tighter(
          allowed === 1,
          { limit: caller.keyRateLimit, used: usedKey, leftMs: keyMs },
          { limit: caller.accountRateLimit, used: usedAccount, leftMs: accountMs },
        );
      } catch {
        errors += 1;
        if (errors >= BREAKER_ERRORS) closedUntilMs = Date.now() + BREAKER_PAUSE_MS;
      }
    }
    services.telemetry.limiterFallbacks.inc();
    return local(caller);
  };
}

interface Window {
  readonly limit: number;
  readonly used: number;
  readonly leftMs: number;
}

function tighter(allowed: boolean, key: Window, account: Window): RateVerdict {
  const left = (window: Window) => Math.max(0, window.limit - window.used);
  const shown = left(account) < left(key) ? account : key;
  const resetSeconds = Math.min(
    WINDOW_SECONDS,
    Math.max(1, Math.ceil((shown.leftMs < 0 ? WINDOW_MS : shown.leftMs) / 1000)),
  );
  return { allowed, limit: shown.limit, remaining: left(shown), resetSeconds };
}

const LOCAL_MAX_WINDOWS = 50_000;

/** The same two windows in this process's memory. */
export function createLocalLimiter(): (caller: Caller) => RateVerdict {
  const windows = new Map<string, { used: number; endsAtMs: number }>();
  const open = (name: string, nowMs: number) => {
    let window = windows.get(name);
    if (window === undefined || window.endsAtMs <= nowMs) {
      windows.delete(name);
      if (windows.size >= LOCAL_MAX_WINDOWS) windows.delete(windows.keys().next().value as string);
      window = { used: 0, endsAtMs: nowMs + WINDOW_MS };
      windows.set(name, window);
    }
    return window;
  };
  return (caller) => {
    const nowMs = Date.now();
    const key = open(`k:${caller.keyId}`, nowMs);
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
