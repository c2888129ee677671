import { randomBytes, randomInt } from 'node:crypto';
import type { Scope } from '@atelier/contract';
import { PAIRING_CODE_LETTERS, PAIRING_LIFE_MINUTES } from '@atelier/contract/console';
import { sha256 } from '../../platform/crypto.ts';
import { withTx } from '../../platform/db.ts';
import { invalidParams, Problem } from '../../platform/problem.ts';
import { createApiKey } from '../accounts/create-api-key.ts';
import { getApiKey } from '../accounts/list-api-keys.ts';
import type { Services } from '../services.ts';
import { mayCreateKeys } from './memberships.ts';
import {
  findPairingByCode,
  findPairingStatus,
  insertPairing,
  markPairingApproved,
  markPairingDenied,
  type PairingRow,
  takeApprovedPairing,
} from './pairings.store.ts';
import { requireWithin, type ThrottleRule } from './throttle.ts';

const SECRET_BYTES = 32;
const CODE_LENGTH = 8;
const CODE_ATTEMPTS = 3;
const MINUTE = 60;
/** Characters that are invisible, or change the direction or the lines of the text around them. */
const INVISIBLE = /\p{C}/u;

/** New pairings from one network. */
const NEW: ThrottleRule = { windowSeconds: 10 * MINUTE, max: 30 };
/** Questions of one network, and about one secret: a device asks every five seconds. */
const ASK_FROM: ThrottleRule = { windowSeconds: MINUTE, max: 300 };
const ASK: ThrottleRule = { windowSeconds: MINUTE, max: 30 };
/** Codes that one person enters, of 20^8 that there are. */
const CODE: ThrottleRule = { windowSeconds: 10 * MINUTE, max: 30 };

export interface NewPairing {
  readonly deviceName: string;
  readonly scopes: readonly Scope[];
  readonly monthlyCap: number | null;
  /** The network of the client, whose pairings are counted. */
  readonly network: string;
}

/** The secret is in this result only; its hash is stored. */
export async function createPairing(
  services: Pick<Services, 'db'>,
  { deviceName: text, scopes, monthlyCap, network }: NewPairing,
): Promise<{ userCode: string; deviceSecret: string; expiresAt: Date }> {
  await requireWithin(services, `pairings of ${network}`, NEW);
  const deviceName = text.trim();
  if (deviceName === '' || INVISIBLE.test(deviceName)) {
    throw invalidParams('The body is not valid', [{ path: 'deviceName', message: 'must be visible text on one line' }]);
  }
  const deviceSecret = randomBytes(SECRET_BYTES).toString('base64url');
  const secretHash = sha256(deviceSecret);
  for (let attempt = 0; attempt < CODE_ATTEMPTS; attempt += 1) {
    const userCode = newUserCode();
    const pairing = { secretHash, userCode, deviceName, scopes, monthlyCap, lifeMinutes: PAIRING_LIFE_MINUTES };
    const expiresAt = await insertPairing(services.db, pairing);
    if (expiresAt !== null) return { userCode, deviceSecret, expiresAt };
  }
  throw new Error(`no free pairing code in ${CODE_ATTEMPTS} attempts`);
}

function newUserCode(): string {
  const letter = () => PAIRING_CODE_LETTERS[randomInt(PAIRING_CODE_LETTERS.length)];
  return Array.from({ length: CODE_LENGTH }, letter).join('');
}

/** The pairing that waits for a decision. */
export async function findPairing(
  services: Pick<Services, 'db'>,
  { userCode, personId }: { userCode: string; personId: string },
): Promise<PairingRow> {
  await requireWithin(services, `pairing codes of ${personId}`, CODE);
  return found(await findPairingByCode(services.db, normalize(userCode)));
}

/** The caller has checked that the person may create keys of the account. */
export async function approvePairing(
  services: Pick<Services, 'db'>,
  approval: { userCode: string; personId: string; accountId: string; monthlyCap: number | null },
): Promise<PairingRow> {
  await requireWithin(services, `pairing codes of ${approval.personId}`, CODE);
  return found(await markPairingApproved(services.db, { ...approval, userCode: normalize(approval.userCode) }));
}

export async function denyPairing(
  services: Pick<Services, 'db'>,
  { userCode, personId }: { userCode: string; personId: string },
): Promise<PairingRow> {
  await requireWithin(services, `pairing codes of ${personId}`, CODE);
  return found(await markPairingDenied(services.db, normalize(userCode)));
}

export type Redemption =
  | { readonly status: 'pending' | 'denied' }
  | { readonly status: 'approved'; readonly secret: string; readonly key: Awaited<ReturnType<typeof getApiKey>> };

/**
 * What became of a pairing. The first call after its approval creates the key, in the transaction that removes the pairing:
 * the key exists once, and no place holds it before its owner asks.
 */
export async function redeemPairing(
  services: Pick<Services, 'db'> & { cell: string; keyRateLimit: number },
  { deviceSecret, network }: { deviceSecret: string; network: string },
): Promise<Redemption> {
  const secretHash = sha256(deviceSecret);
  await requireWithin(services, `pairing questions of ${network}`, ASK_FROM);
  await requireWithin(services, `pairing ${secretHash.toString('hex')}`, ASK);
  const status = await findPairingStatus(services.db, secretHash);
  if (status === null) throw gone();
  if (status !== 'approved') return { status };
  return withTx(services.db, async (tx) => {
    const pairing = await takeApprovedPairing(tx, secretHash);
    if (pairing === null) throw gone();
    const { approvedBy: personId, accountId, deviceName, scopes, monthlyCap } = pairing;
    // Whoever lost the role since the approval creates no key.
    if (!(await mayCreateKeys(tx, { personId, accountId }))) return { status: 'denied' };
    const { id, key } = await createApiKey(tx, services.cell, {
      accountId,
      name: deviceName,
      scopes,
      monthlyCap,
      rateLimit: services.keyRateLimit,
      actor: `person ${personId}`,
    });
    return { status, secret: key, key: await getApiKey(tx, { accountId, keyId: id }) };
  });
}

const normalize = (userCode: string): string => userCode.replaceAll(/[\s-]/g, '').toUpperCase();

function found(pairing: PairingRow | null): PairingRow {
  if (pairing === null) throw new Problem('not_found', 'The code is wrong, has expired or was already used.');
  return pairing;
}

const gone = () => new Problem('not_found', 'The pairing does not exist, has expired or was already used.');
