import { defineRequestState, hasRequestState } from '@better-auth/core/context';
import type { PasswordHasher } from './hash-password.ts';

export interface PreparedPasswords extends PasswordHasher {
  /** Hashes the password of this request now, and returns that hash when the library asks for it. */
  prepare(password: string): Promise<void>;
}

/**
 * The library hashes the password of a sign-up inside a transaction. A hash takes half a second, so a few sign-ups would hold all
 * connections that read sessions.
 */
export function preparePasswords(passwords: PasswordHasher): PreparedPasswords {
  const state = defineRequestState<{ password: string; hash: string } | null>(() => null);
  return {
    ...passwords,
    async prepare(password) {
      await state.set({ password, hash: await passwords.hash(password) });
    },
    async hash(password) {
      const prepared = (await hasRequestState()) ? await state.get() : null;
      return prepared?.password === password ? prepared.hash : passwords.hash(password);
    },
  };
}
