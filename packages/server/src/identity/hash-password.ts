import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { equalInConstantTime } from '../platform/crypto.ts';
import { createSemaphore } from '../platform/flow/semaphore.ts';

const compute = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** The service starts with no less: `PASSWORD_COST_BITS`. Only tests hash faster. */
export const MIN_COST_BITS = 17;
/** One computation takes 1 GiB. */
export const MAX_COST_BITS = 20;
export const MIN_PASSWORD_CHARS = 12;
export const MAX_PASSWORD_CHARS = 128;
const BLOCK_SIZE = 8;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** scrypt needs 128 * N * r bytes and a little more. */
const SPARE_MEMORY_BYTES = 32 * 1024 * 1024;
const CONCURRENCY = 2;
const WAIT_MS = 10_000;

const places = createSemaphore(CONCURRENCY);

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(given: { readonly hash: string; readonly password: string }): Promise<boolean>;
}

/**
 * scrypt with N = 2^costBits, r = 8, p = 1. The cost is part of the result, so a password that was hashed before the cost was raised
 * still verifies.
 */
export function createPasswordHasher({ costBits }: { costBits: number }): PasswordHasher {
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await derive(password, { salt, costBits });
      return `scrypt$${costBits}$${BLOCK_SIZE}$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
    },
    async verify({ hash, password }) {
      const [kind, cost, block, lanes, salt, expected] = hash.split('$');
      const isKnown = kind === 'scrypt' && block === `${BLOCK_SIZE}` && lanes === '1' && Number(cost) <= MAX_COST_BITS;
      if (!isKnown || salt === undefined || expected === undefined) return false;
      const actual = await derive(password, { salt: Buffer.from(salt, 'base64url'), costBits: Number(cost) });
      return equalInConstantTime({ a: actual, b: Buffer.from(expected, 'base64url') });
    },
  };
}

/** The number of computations is limited: at 2^17, each takes 128 MB and a processor for about half a second. */
function derive(password: string, { salt, costBits }: { salt: Buffer; costBits: number }): Promise<Buffer> {
  const N = 2 ** costBits;
  const maxmem = 128 * N * BLOCK_SIZE + SPARE_MEMORY_BYTES;
  const work = () => compute(password.normalize('NFKC'), salt, HASH_BYTES, { N, r: BLOCK_SIZE, p: 1, maxmem });
  return places.run(work, AbortSignal.timeout(WAIT_MS));
}
