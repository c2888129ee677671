import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { SessionBudget } from '../../domain/generations/submit/create-generation.ts';
import type { Services } from '../../domain/services.ts';
import { invalidParams } from '../../platform/problem.ts';
import { openToken, signToken } from '../../platform/signed-token.ts';
import { SUPPORTED_VERSIONS } from './protocol.ts';
import { RPC, RpcError } from './rpc-message.ts';

/** Then the client must initialize again. */
export const SESSION_LIFE_SECONDS = 24 * 3600;
export const BUDGET_HEADER = 'X-Session-Max-Coins';
const PREFIX = 'm1';
const MAX_TOKEN_LENGTH = 1_024;

export interface Session {
  /** A quote pays once in it. */
  readonly id: string;
  /** Submits with this name share a budget. */
  readonly budgetId: string;
}

type SessionServices = Pick<Services, 'keys' | 'clock'>;
/** In an array, to keep the token short: session, account, key, end. */
type Payload = [string, string, string, number];

/** A session has no row: any process can open the token, and a restart ends none. */
export function issueSession(services: SessionServices, { accountId, keyId }: Caller): string {
  const endsAtSeconds = Math.floor(services.clock.now().getTime() / 1000) + SESSION_LIFE_SECONDS;
  const payload: Payload = [randomUUID(), accountId, keyId ?? '', endsAtSeconds];
  return signToken({ keys: services.keys, purpose: 'session', prefix: PREFIX, payload });
}

/** The session of the header. It belongs to the key that opened it. */
export function openSession(services: SessionServices, caller: Caller, headers: IncomingHttpHeaders): Session {
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
  return { id: payload[0], budgetId: `session ${payload[0]}` };
}

/** Stateless clients have no session. The requests of a key on one UTC day count as one, so that a budget holds for them too. */
export function openDay({ clock }: Pick<Services, 'clock'>, { keyId }: Caller): Session {
  const key = String(keyId);
  return { id: key, budgetId: `day ${key} ${clock.now().toISOString().slice(0, 10)}` };
}

/** The operator's budget of a session, or a smaller one that the client's configuration names. 0: the operator sets none. */
export function readBudget(
  session: Session,
  headers: IncomingHttpHeaders,
  operatorCoins: number,
): SessionBudget | undefined {
  const given = headers[BUDGET_HEADER.toLowerCase()];
  const limits = operatorCoins === 0 ? [] : [operatorCoins];
  if (given !== undefined) {
    if (typeof given !== 'string' || !/^[1-9]\d{0,14}$/.test(given)) {
      throw invalidParams('The request is not valid', [{ path: BUDGET_HEADER, message: 'must be a positive integer' }]);
    }
    limits.push(Number(given));
  }
  return limits.length === 0 ? undefined : { id: session.budgetId, coins: Math.min(...limits) };
}
