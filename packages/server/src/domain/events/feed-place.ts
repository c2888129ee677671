import type { KeyRing } from '../../platform/crypto.ts';
import { openToken, signToken } from '../../platform/signed-token.ts';
import type { FeedPlace } from './events.store.ts';

const PREFIX = 'e1';
type Payload = [accountId: string, epoch: number, xid: string, seq: number];

export const FEED_START: FeedPlace = { epoch: 0, xid: '0', seq: 0 };

/** A position for clients: signed and bound to the account. The list and the stream accept each other's. */
export function signPlace(options: { keys: KeyRing; accountId: string; place: FeedPlace }): string {
  const { epoch, xid, seq } = options.place;
  const payload: Payload = [options.accountId, epoch, xid, seq];
  return signToken({ keys: options.keys, purpose: 'cursor', prefix: PREFIX, payload });
}

/** Null if the token was not issued to this account. */
export function openPlace(options: { keys: KeyRing; accountId: string; token: string }): FeedPlace | null {
  const { keys, token } = options;
  const payload = openToken({ keys, purpose: 'cursor', prefix: PREFIX, token }) as Payload | null;
  if (payload === null || payload[0] !== options.accountId) return null;
  return { epoch: payload[1], xid: payload[2], seq: payload[3] };
}
