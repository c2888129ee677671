import type { Db } from '../../platform/db.ts';
import { findUsableKeys } from './accounts.store.ts';

/** A stream must end within five seconds after its key; this interval leaves time for a slow database response. */
const CHECK_INTERVAL_MS = 2_000;

interface WatchedKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly onEnded: () => void;
}

export interface KeyWatch {
  /** Calls `onEnded` once the key is revoked or has expired. Returns a function that stops watching. */
  watch(key: WatchedKey): () => void;
  close(): void;
}

/**
 * Watches the keys of everything that outlives a request. One statement per check, for any number of keys. While the
 * database is unavailable, no key is reported as ended.
 */
export function createKeyWatch(services: { db: Db }): KeyWatch {
  const watched = new Set<WatchedKey>();
  let timer: NodeJS.Timeout | undefined;

  const check = async () => {
    const asked = [...watched];
    try {
      const usable = await findUsableKeys(services.db, asked);
      for (const key of asked) if (!usable.has(key.keyId) && watched.delete(key)) key.onEnded();
    } catch {
      // The next check retries.
    } finally {
      checkLater();
    }
  };
  const checkLater = () => {
    clearTimeout(timer);
    timer = watched.size === 0 ? undefined : setTimeout(() => void check(), CHECK_INTERVAL_MS);
  };

  return {
    watch(key) {
      watched.add(key);
      if (timer === undefined) checkLater();
      return () => void watched.delete(key);
    },
    close() {
      watched.clear();
      clearTimeout(timer);
    },
  };
}
