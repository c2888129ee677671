import type { Provoke } from './world.ts';

/** Runs the request while the storage quota of the account is one byte. */
export function withQuota(provoke: Provoke): Provoke {
  return async (world) => {
    const set = (bytes: number | null) =>
      world.stack.db.pool.query('UPDATE account SET storage_quota = $2 WHERE id = $1', [
        world.account.accountId,
        bytes,
      ]);
    await set(1);
    try {
      return await provoke(world);
    } finally {
      await set(null);
    }
  };
}
