import type { Channel } from '@atelier/contract';
import type { Db } from '../../platform/db.ts';
import { createRecentMap } from '../../platform/flow/recent-map.ts';
import { accountMoved, Problem } from '../../platform/problem.ts';
import { findKeyByHash, type KeyRow, touchKey } from './accounts.store.ts';
import { hashOfApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';

/** A revoked key must stop working within one second; a quarter of it is left for the request itself. */
const CACHE_LIFE_MS = 750;
const CACHE_MAX_KEYS = 20_000;
const TOUCH_INTERVAL_MS = 60_000;

interface Cached {
  readonly row: KeyRow;
  readonly caller: Caller;
  readonly freshUntilMs: number;
  touchAtMs: number;
}

export type AuthenticateKey = (key: string, channel: Channel) => Promise<Caller> | Caller;

/**
 * Checksum, hash, index lookup; the result is cached for less than a second. There is no secret comparison to time, and unknown
 * keys are not cached, so they cannot evict known ones.
 */
export function createAuthenticateKey(services: { db: Db }): AuthenticateKey {
  // Keyed by channel and key: a caller includes its channel.
  const cache = createRecentMap<Cached>(CACHE_MAX_KEYS);
  const looking = new Map<string, Promise<Caller>>();

  const judge = (row: KeyRow, caller: Caller): Caller => {
    if (row.moved) throw accountMoved();
    if (row.revoked) throw new Problem('api_key_revoked', 'This API key was revoked.');
    if (row.expired) throw new Problem('api_key_expired', 'This API key has expired.');
    return caller;
  };

  const lookUp = async (entry: string, hash: Buffer, channel: Channel, touchAtMs: number): Promise<Caller> => {
    const row = await findKeyByHash(services.db, hash);
    if (row === null) throw new Problem('invalid_api_key', 'There is no such API key.');
    const caller: Caller = {
      accountId: row.accountId,
      mode: row.mode,
      locked: row.locked,
      keyId: row.id,
      scopes: row.scopes,
      channel,
      keyRateLimit: row.keyRateLimit,
      accountRateLimit: row.accountRateLimit,
      requestCap: row.requestCap,
    };
    const nowMs = Date.now();
    const due = nowMs >= touchAtMs;
    cache.set(entry, {
      row,
      caller,
      freshUntilMs: nowMs + CACHE_LIFE_MS,
      touchAtMs: due ? nowMs + TOUCH_INTERVAL_MS : touchAtMs,
    });
    // The last use is informational: a failure to record it must not fail the request.
    if (due) void touchKey(services.db, row).catch(() => {});
    return judge(row, caller);
  };

  return (key, channel) => {
    const entry = `${channel} ${key}`;
    const known = cache.get(entry);
    if (known !== undefined && known.freshUntilMs > Date.now()) return judge(known.row, known.caller);
    const pending = looking.get(entry);
    if (pending !== undefined) return pending;
    const hash = hashOfApiKey(key);
    if (hash === null) throw new Problem('invalid_api_key', 'The API key is not valid.');
    const found = lookUp(entry, hash, channel, known?.touchAtMs ?? 0).finally(() => looking.delete(entry));
    looking.set(entry, found);
    return found;
  };
}
