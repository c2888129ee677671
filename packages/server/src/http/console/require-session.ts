import type { IncomingHttpHeaders } from 'node:http';
import { FRESH_MINUTES } from '@atelier/contract/console';
import type { Clock } from '../../platform/clock.ts';
import { Problem } from '../../platform/problem.ts';
import type { Identity, SignedIn } from './identity.ts';

const FRESH_MS = FRESH_MINUTES * 60_000;

/** The person who sends the request. */
export async function requireSession(
  identity: Pick<Identity, 'readSession'>,
  headers: IncomingHttpHeaders,
): Promise<SignedIn> {
  const signedIn = headers.cookie === undefined ? null : await identity.readSession(toWebHeaders(headers));
  if (signedIn === null) {
    throw new Problem('sign_in_required', 'You are not signed in, or the session has ended.');
  }
  return signedIn;
}

/** Refuses a sign-in that is too old for an operation that shows a secret. */
export function requireFresh(clock: Clock, signedIn: Pick<SignedIn, 'signedInAt'>): void {
  if (clock.now() < freshUntil(signedIn)) return;
  throw new Problem(
    'reauthentication_required',
    `This operation requires a sign-in within the last ${FRESH_MINUTES} minutes.`,
  );
}

export function freshUntil({ signedInAt }: Pick<SignedIn, 'signedInAt'>): Date {
  return new Date(signedInAt.getTime() + FRESH_MS);
}

/** The headers as the Fetch API has them, which sign-in uses. */
export function toWebHeaders(headers: IncomingHttpHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) result.append(name, each);
  }
  return result;
}
