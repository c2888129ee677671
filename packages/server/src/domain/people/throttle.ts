import { sha256 } from '../../platform/crypto.ts';
import { Problem } from '../../platform/problem.ts';
import type { Services } from '../services.ts';
import { countAttempt } from './throttle.store.ts';

export interface ThrottleRule {
  readonly windowSeconds: number;
  /** Attempts allowed in a window. */
  readonly max: number;
}

/** Counts an attempt, in PostgreSQL. Returns null if it is allowed, or how many seconds to wait. */
export async function throttle(
  services: Pick<Services, 'db'>,
  subject: string,
  rule: ThrottleRule,
): Promise<number | null> {
  const { count, endsInSeconds } = await countAttempt(services.db, { key: sha256(subject), ...rule });
  return count <= rule.max ? null : Math.max(endsInSeconds, 1);
}

/** Counts an attempt, and refuses it beyond the limit. */
export async function requireWithin(
  services: Pick<Services, 'db'>,
  subject: string,
  rule: ThrottleRule,
): Promise<void> {
  const retryAfterSeconds = await throttle(services, subject, rule);
  if (retryAfterSeconds === null) return;
  throw new Problem('rate_limited', `Too many requests. Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}
