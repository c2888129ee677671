import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';
import { sha256 } from '../platform/crypto.ts';

type Row = Record<string, unknown>;
type Listener = 'console' | 'desk';

/**
 * Stores the SHA-256 of session tokens instead of the tokens: whoever reads the database cannot use a session. The library
 * gets back the token that it asked with; a session that was found in another way comes without one. The hash depends on the
 * listener, so that the token of a session in the console opens nothing at the desk.
 */
export function hashSessionTokens(adapter: DBAdapter, listener: Listener = 'console'): DBAdapter {
  return {
    ...adapter,
    ...wrap(adapter, listener),
    transaction: (work) => adapter.transaction((tx) => work({ ...tx, ...wrap(tx, listener) })),
  };
}

export function hashToken(token: string, listener: Listener = 'console'): string {
  return sha256(listener === 'console' ? token : `${listener} ${token}`).toString('base64url');
}

function wrap(
  adapter: DBTransactionAdapter,
  listener: Listener,
): Omit<DBTransactionAdapter, 'id' | 'createSchema' | 'options'> {
  return {
    create: async (given) => {
      if (given.model !== 'session') return adapter.create(given);
      const { token } = given.data as Row;
      const data = { ...given.data, token: hashToken(token as string, listener) };
      return { ...((await adapter.create({ ...given, data })) as Row), token } as never;
    },
    findOne: async (given) => {
      const { where, restore } = hashIn(given, listener);
      return restore(await adapter.findOne({ ...given, where }));
    },
    findMany: async (given) => {
      const { where, restore } = hashIn(given, listener);
      return (await adapter.findMany({ ...given, where })).map(restore) as never;
    },
    update: async (given) => {
      const { where, restore } = hashIn(given, listener);
      return restore(await adapter.update({ ...given, where, update: refuseToken(given.model, given.update) }));
    },
    updateMany: (given) =>
      adapter.updateMany({
        ...given,
        where: hashIn(given, listener).where,
        update: refuseToken(given.model, given.update),
      }),
    count: (given) => adapter.count({ ...given, where: hashIn(given, listener).where }),
    delete: (given) => adapter.delete({ ...given, where: hashIn(given, listener).where }),
    deleteMany: (given) => adapter.deleteMany({ ...given, where: hashIn(given, listener).where }),
    consumeOne: async (given) => {
      const { where, restore } = hashIn(given, listener);
      return restore(await adapter.consumeOne({ ...given, where }));
    },
    incrementOne: async (given) => {
      const { where, restore } = hashIn(given, listener);
      return restore(await adapter.incrementOne({ ...given, where }));
    },
  };
}

/** The conditions with hashes in place of tokens, and what puts the tokens back into the rows found. */
function hashIn({ model, where }: { model: string; where?: Where[] | undefined }, listener: Listener) {
  if (model !== 'session') return { where: where as Where[], restore: <R>(row: R): R => row };
  const tokens = new Map<unknown, string>();
  const remember = (token: string) => {
    const hash = hashToken(token, listener);
    tokens.set(hash, token);
    return hash;
  };
  const hashed = where?.map((each): Where => {
    if (each.field !== 'token') return each;
    const value = Array.isArray(each.value)
      ? each.value.map((token) => remember(String(token)))
      : remember(String(each.value));
    return { ...each, value };
  });
  const restore = <R>(row: R): R =>
    row === null || row === undefined ? row : ({ ...row, token: tokens.get((row as Row).token) ?? '' } as R);
  return { where: hashed as Where[], restore };
}

/** A token never changes: every sign-in creates a session of its own. */
function refuseToken<U extends Row>(model: string, update: U): U {
  if (model === 'session' && 'token' in update) throw new Error('the token of a session cannot be changed');
  return update;
}
