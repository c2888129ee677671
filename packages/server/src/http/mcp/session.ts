import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { Services } from '../../domain/services.ts';
import { openToken, signToken } from '../../platform/signed-token.ts';
import { SUPPORTED_VERSIONS } from './protocol.ts';
import { RPC, RpcError } from './rpc-message.ts';

/** Then the client must initialize again. */
export const SESSION_LIFE_SECONDS = 24 * 3600;
const PREFIX = 'm1';
const MAX_TOKEN_LENGTH = 1_024;

type SessionServices = Pick<Services, 'keys' | 'clock'>;
/** In an array, to keep the token short: session, account, key, end. */
type Payload = [string, string, string, number];

/** A session has no row: any process can open the token, and a restart ends none. */
export function issueSession(services: SessionServices, { accountId, keyId }: Caller): string {
  const endsAtSeconds = Math.floor(services.clock.now().getTime() / 1000) + SESSION_LIFE_SECONDS;
  const payload: Payload = [randomUUID(), accountId, keyId ?? '', endsAtSeconds];
  return signToken({ keys: services.keys, purpose: 'session', prefix: PREFIX, payload });
}

/** Refuses a request without a session. It belongs to the key that opened it, and holds nothing: budgets and retries go by the key. */
export function requireSession(services: SessionServices, caller: Caller, headers: IncomingHttpHeaders): void {
  const token = headers['mcp-session-id'];
  if (typeof token !== 'string' || token === '') {
    const versions = SUPPORTED_VERSIONS.join(', ');
    const message = `The Mcp-Session-Id header is missing: send initialize first. Supported versions: ${versions}.`;
    throw new RpcError(RPC.invalidRequest, message, { status: 400 });
  }
  const payload =
    token.length > MAX_TOKEN_LENGTH
      ? null
      : (openToken({ keys: services.keys, purpose: 'session', prefix: PREFIX, token }) as Payload | null);
  const nowSeconds = services.clock.now().getTime() / 1000;
  if (payload === null || payload[1] !== caller.accountId || payload[2] !== caller.keyId || payload[3] <= nowSeconds) {
    throw new RpcError(RPC.invalidRequest, 'The session does not exist or has ended: send initialize again.', {
      status: 404,
    });
  }
}
