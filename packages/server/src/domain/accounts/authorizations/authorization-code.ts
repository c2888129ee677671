import type { Scope } from '@atelier/contract';
import { equalInConstantTime, type KeyRing, seal, sha256, unseal } from '../../../platform/crypto.ts';
import { type Tx, withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { createApiKey } from '../create-api-key.ts';
import { revokeApiKey } from '../revoke-api-key.ts';
import { findProgram } from './program.ts';

const CODE_LIFE_MS = 5 * 60_000;
/** Then the person is asked again. */
const KEY_LIFE_DAYS = 90;
export const KEY_LIFE_SECONDS = KEY_LIFE_DAYS * 24 * 3600;
const SEALED_AS = 'authorization-code';
const MAX_CODE_LENGTH = 4_096;
const UNIQUE_VIOLATION = '23505';

export interface Consent {
  readonly accountId: string;
  /** Who consented. */
  readonly personId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** The hash of a secret that only the program knows, so that a stolen code is useless. */
  readonly codeChallenge: string;
  readonly scopes: readonly Scope[];
  readonly monthlyCap: number | null;
}

interface Grant extends Consent {
  readonly keyId: string;
  readonly name: string;
  readonly expiresAtMs: number;
}

/** What a program gets for a person's consent, and exchanges for a key. It has no row: it is a sealed description of the key. */
export function grantCode(services: Pick<Services, 'keys' | 'clock'>, consent: Consent): string {
  const { name } = findProgram(services, consent);
  const expiresAtMs = services.clock.now().getTime() + CODE_LIFE_MS;
  const grant: Grant = { ...consent, keyId: newId(), name, expiresAtMs };
  return seal({ keys: services.keys, plaintext: JSON.stringify(grant), rowId: SEALED_AS });
}

export interface Redemption {
  readonly code: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** Whether the person who consented may still create keys of the account. */
export type MayCreateKeys = (tx: Tx, of: { personId: string; accountId: string }) => Promise<boolean>;

/**
 * Exchanges a code for a new API key, once: the code names the id of the key, so a second exchange violates the primary key. Two
 * programs may then know the code, so the key is revoked.
 */
export async function redeemCode(
  services: Pick<Services, 'db' | 'keys' | 'clock'> & { readonly cell: string; readonly keyRateLimit: number },
  redemption: Redemption,
  mayCreateKeys: MayCreateKeys,
): Promise<{ key: string; scopes: readonly Scope[] }> {
  const grant = openCode(services.keys, redemption.code);
  const now = services.clock.now().getTime();
  const challenge = sha256(redemption.codeVerifier).toString('base64url');
  if (
    grant === null ||
    grant.expiresAtMs <= now ||
    grant.clientId !== redemption.clientId ||
    grant.redirectUri !== redemption.redirectUri ||
    !equalInConstantTime({ a: Buffer.from(grant.codeChallenge), b: Buffer.from(challenge) })
  ) {
    throw refused('The code is not valid, has expired, or belongs to another request.');
  }
  const { accountId, keyId, personId, name, scopes, monthlyCap } = grant;
  const actor = `person ${personId}`;
  try {
    const expiresAt = new Date(now + KEY_LIFE_SECONDS * 1000);
    const rateLimit = services.keyRateLimit;
    const key = { id: keyId, accountId, name, scopes, monthlyCap, rateLimit, expiresAt, actor };
    const made = await withTx(services.db, async (tx) => {
      if (!(await mayCreateKeys(tx, { personId, accountId }))) {
        throw refused('The person who gave access may no longer create keys of the account.');
      }
      return createApiKey(tx, services.cell, key);
    });
    return { key: made.key, scopes };
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    await withTx(services.db, (tx) => revokeApiKey(tx, { accountId, keyId, actor: 'system' }));
    throw refused('The code was used before. The key of its first use is revoked.');
  }
}

function refused(detail: string): Problem {
  return new Problem('invalid_params', detail);
}

function openCode(keys: KeyRing, code: string): Grant | null {
  if (code.length > MAX_CODE_LENGTH) return null;
  try {
    return JSON.parse(unseal({ keys, sealed: code, rowId: SEALED_AS })) as Grant;
  } catch {
    return null;
  }
}
