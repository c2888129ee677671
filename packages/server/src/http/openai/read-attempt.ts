import type { IncomingHttpHeaders } from 'node:http';
import { IDEMPOTENCY_KEY_PATTERN } from '@atelier/contract';
import { invalidParams } from '../../platform/problem.ts';

const RETRY_COUNT = /^\d{1,4}$/;
const VALID_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** How the client marks its requests: with a key of its own, or with the count of its retries. */
export type Attempt = { readonly idempotencyKey: string } | { readonly retryCount: number | null };

/** Null means that the client does not count: it is none of the official ones. */
export function readAttempt(headers: IncomingHttpHeaders): Attempt {
  const key = headers['idempotency-key'];
  if (typeof key === 'string' && key !== '') {
    if (VALID_KEY.test(key)) return { idempotencyKey: key };
    throw invalidParams('The request is not valid', [
      { path: 'Idempotency-Key', message: 'must be 16 to 128 letters, digits, _ or -' },
    ]);
  }
  const count = headers['x-stainless-retry-count'];
  return { retryCount: typeof count === 'string' && RETRY_COUNT.test(count) ? Number(count) : null };
}
