import type { KeyRing } from '../platform/crypto.ts';

export interface IdentitySecret {
  /** Stored with everything that it encrypts. */
  readonly version: number;
  readonly value: string;
}

/** The secrets of better-auth, one per master key. The first encrypts, all decrypt. */
export function readIdentitySecrets(keys: KeyRing): IdentitySecret[] {
  return keys.kids.map((kid) => ({
    version: Number.parseInt(kid, 16),
    value: keys.key('identity', kid)!.toString('base64url'),
  }));
}
