import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '@atelier/contract';
import type { AuthenticateKey } from '../../domain/accounts/authenticate-key.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../platform/problem.ts';

const MAX_CREDENTIALS_LENGTH = 512;
const BEARER = /^Bearer +([^\s]+)$/i;

/** What stands in `Authorization: Bearer <key>`; null when that can be no key. A key anywhere else is no credential. */
export function readKey(headers: IncomingHttpHeaders): string | null {
  const value = headers.authorization;
  if (value === undefined || value.length === 0) {
    throw new Problem('unauthorized', 'This operation needs an API key: Authorization: Bearer <API key>.');
  }
  if (!/^Bearer\b/i.test(value)) {
    throw new Problem('unauthorized', 'Only the Bearer scheme is known: Authorization: Bearer <API key>.');
  }
  return value.length <= MAX_CREDENTIALS_LENGTH ? (BEARER.exec(value)?.[1] ?? null) : null;
}

export function authenticate(
  authenticateKey: AuthenticateKey,
  key: string | null,
  channel: Channel,
): Promise<Caller> | Caller {
  if (key === null) throw new Problem('invalid_api_key', 'This is not an API key of this service.');
  return authenticateKey(key, channel);
}
