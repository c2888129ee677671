import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { equalInConstantTime } from '../platform/crypto.ts';
import { createSemaphore } from '../platform/flow/semaphore.ts';

const compute = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const COST_BITS = 17;
const BLOCK_SIZE = 8;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** One computation takes 128 MB. */
const MAX_MEMORY_BYTES = 160 * 1024 * 1024;
const CONCURRENCY = 2;
const WAIT_MS = 10_000;

const places = createSemaphore(CONCURRENCY);

/** scrypt with N = 2^17, r = 8, p = 1. The parameters are part of the result, so that they can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt);
  return `scrypt$${COST_BITS}$${BLOCK_SIZE}$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const [kind, cost, block, lanes, salt, expected] = hash.split('$');
  const isKnown = kind === 'scrypt' && cost === `${COST_BITS}` && block === `${BLOCK_SIZE}` && lanes === '1';
  if (!isKnown || salt === undefined || expected === undefined) return false;
  const actual = await derive(password, Buffer.from(salt, 'base64url'));
  return equalInConstantTime({ a: actual, b: Buffer.from(expected, 'base64url') });
}

/** The number of computations is limited: each takes 128 MB and a processor for about half a second. */
function derive(password: string, salt: Buffer): Promise<Buffer> {
  const work = () =>
    compute(password.normalize('NFKC'), salt, HASH_BYTES, {
      N: 2 ** COST_BITS,
      r: BLOCK_SIZE,
      p: 1,
      maxmem: MAX_MEMORY_BYTES,
    });
  return places.run(work, AbortSignal.timeout(WAIT_MS));
}
