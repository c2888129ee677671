import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Channel } from '@atelier/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { AuthenticateKey } from '../../domain/accounts/authenticate-key.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { IsKnownKey } from '../../domain/accounts/create-known-key-check.ts';
import { createRecentMap } from '../../platform/flow/recent-map.ts';
import { Problem } from '../../platform/problem.ts';
import { WINDOW_SECONDS, writeRateHeaders } from './rate-limit.ts';

const WINDOW_MS = WINDOW_SECONDS * 1000;
const MAX_ADDRESSES = 20_000;
/** An IPv6 /64 network usually belongs to one customer. */
const IPV6_NETWORK_BYTES = 8;

export type Authenticate = (request: FastifyRequest, reply: FastifyReply, channel: Channel) => Promise<Caller>;

export interface ThrottleOptions {
  readonly authenticateKey: AuthenticateKey;
  readonly isKnownKey: IsKnownKey;
  /** Unknown keys that an address may send in a minute. */
  readonly limit: number;
}

/**
 * Authenticates, and refuses unknown keys with 429 once their address has sent too many. Valid keys are
 * served from every address: beyond the limit a cheap check of the database identifies them. Each process counts for itself.
 */
export function throttleUnknownKeys(options: ThrottleOptions): Authenticate {
  const windows = createRecentMap<{ count: number; endsAtMs: number }>(MAX_ADDRESSES);

  /** When the last of the windows ends: until the next unknown key, no address needs to be looked up. */
  let lastEndsAtMs = 0;

  return async (request, reply, channel) => {
    const key = readKey(request.headers);
    const nowMs = Date.now();
    const window = lastEndsAtMs > nowMs ? windows.get(networkOf(request.ip)) : undefined;
    if (window !== undefined && window.endsAtMs > nowMs && window.count >= options.limit) {
      if (key === null || !(await options.isKnownKey(key))) {
        const resetSeconds = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
        writeRateHeaders(reply, { allowed: false, limit: options.limit, remaining: 0, resetSeconds });
        throw new Problem('rate_limited', 'Too many requests with unknown API keys from this address.', {
          retryAfterSeconds: resetSeconds,
        });
      }
    }
    try {
      return await authenticate(options.authenticateKey, key, channel);
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid_api_key') count(networkOf(request.ip));
      throw error;
    }
  };

  function count(address: string): void {
    const nowMs = Date.now();
    const window = windows.get(address);
    if (window !== undefined && window.endsAtMs > nowMs) window.count += 1;
    else {
      windows.set(address, { count: 1, endsAtMs: nowMs + WINDOW_MS });
      lastEndsAtMs = Math.max(lastEndsAtMs, nowMs + WINDOW_MS);
    }
  }
}

/** The unit that is counted: an IPv4 address, or an IPv6 network. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return Buffer.from(address.toByteArray().slice(0, IPV6_NETWORK_BYTES)).toString('hex');
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
