import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '@atelier/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthenticateKey } from '../../domain/accounts/authenticate-key.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { IsKnownKey } from '../../domain/accounts/create-known-key-check.ts';
import { Problem } from '../../platform/problem.ts';
import { countPerAddress } from './count-per-address.ts';
import { writeRateHeaders } from './rate-limit.ts';

export type Authenticate = (request: FastifyRequest, reply: FastifyReply, channel: Channel) => Promise<Caller>;

export interface ThrottleOptions {
  readonly authenticateKey: AuthenticateKey;
  readonly isKnownKey: IsKnownKey;
  /** Unknown keys that an address may send in a minute. */
  readonly limit: number;
}

/**
 * Authenticates, and refuses unknown keys with 429 once their address has sent too many. Valid keys are
 * served from every address: beyond the limit a cheap check of the database identifies them.
 */
export function throttleUnknownKeys(options: ThrottleOptions): Authenticate {
  const unknownKeys = countPerAddress(options.limit);
  return async (request, reply, channel) => {
    const key = readKey(request.headers);
    const resetSeconds = unknownKeys.secondsLeft(request.ip);
    if (resetSeconds !== null && (key === null || !(await options.isKnownKey(key)))) {
      writeRateHeaders(reply, { allowed: false, limit: options.limit, remaining: 0, resetSeconds });
      throw new Problem('rate_limited', 'Too many requests with unknown API keys from this address.', {
        retryAfterSeconds: resetSeconds,
      });
    }
    try {
      return await authenticate(options.authenticateKey, key, channel);
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid_api_key') unknownKeys.count(request.ip);
      throw error;
    }
  };
}

const MAX_CREDENTIALS_LENGTH = 512;
const BEARER = /^Bearer +([^\s]+)$/i;

/** The key in `Authorization: Bearer <key>`; null if it cannot be one. Keys anywhere else are ignored. */
export function readKey(headers: IncomingHttpHeaders): string | null {
  const value = headers.authorization;
  if (value === undefined || value.length === 0) {
    throw new Problem('unauthorized', 'This operation requires an API key. Send Authorization: Bearer <API key>.');
  }
  if (!/^Bearer\b/i.test(value)) {
    throw new Problem('unauthorized', 'Unsupported authentication scheme. Send Authorization: Bearer <API key>.');
  }
  return value.length <= MAX_CREDENTIALS_LENGTH ? (BEARER.exec(value)?.[1] ?? null) : null;
}

export function authenticate(
  authenticateKey: AuthenticateKey,
  key: string | null,
  channel: Channel,
): Promise<Caller> | Caller {
  if (key === null) throw new Problem('invalid_api_key', 'The API key is not valid.');
  return authenticateKey(key, channel);
}
