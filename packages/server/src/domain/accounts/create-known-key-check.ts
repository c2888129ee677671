import type { Db } from '../../platform/db.ts';
import { createBatcher } from '../../platform/flow/batcher.ts';
import { createRecentMap } from '../../platform/flow/recent-map.ts';
import { findKnownHashes } from './accounts.store.ts';
import { hashOfApiKey } from './api-key.ts';

const MAX_BATCH = 500;
/** The maximum number of waiting callers; beyond it, a key is reported as unknown. */
const MAX_WAITING = 5_000;
const KNOWN_LIFE_MS = 60_000;
const MAX_KNOWN = 5_000;

export type IsKnownKey = (key: string) => Promise<boolean> | boolean;

/**
 * Whether a key exists, including revoked and expired ones. Built for floods of unknown keys: one statement runs at a time,
 * so they cannot exhaust the connections that other requests need.
 */
export function createKnownKeyCheck(services: { db: Db }): IsKnownKey {
  const known = createRecentMap<number>(MAX_KNOWN);
  let waiting = 0;
  const lookUp = createBatcher<Buffer, boolean>({
    maxBatch: MAX_BATCH,
    async run(hashes) {
      const found = new Set((await findKnownHashes(services.db, [...hashes])).map((hash) => hash.toString('hex')));
      return hashes.map((hash) => found.has(hash.toString('hex')));
    },
  });
  const ask = async (key: string, hash: Buffer): Promise<boolean> => {
    if (waiting >= MAX_WAITING) return false;
    waiting += 1;
    try {
      const found = await lookUp(hash);
      if (found) known.set(key, Date.now() + KNOWN_LIFE_MS);
      return found;
    } finally {
      waiting -= 1;
    }
  };
  return (key) => {
    if ((known.get(key) ?? 0) > Date.now()) return true;
    const hash = hashOfApiKey(key);
    return hash === null ? false : ask(key, hash);
  };
}
