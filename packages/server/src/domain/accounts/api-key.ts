import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256 } from '../../platform/crypto.ts';
import type { AccountMode } from './caller.ts';

/**
 * `atl_sk_<cell>_<mode>_` + 30 random base62 characters (178 bits) + 6 of a CRC-32. The cell lets an edge route by the
 * string alone; the checksum lets us and secret scanners reject a mistyped key without a lookup. Only the SHA-256 is
 * stored.
 */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = /^atl_sk_[a-z0-9]{1,8}_(?:live|test)_([0-9A-Za-z]{36})$/;

export interface NewKey {
  readonly key: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly last4: string;
}

export function newApiKey(options: { cell: string; mode: AccountMode }): NewKey {
  let secret = '';
  for (let n = 0; n < SECRET_LENGTH; n += 1) secret += BASE62[randomInt(BASE62.length)];
  const head = `atl_sk_${options.cell}_${options.mode}_${secret}`;
  const key = head + checksum(head);
  return { key, hash: sha256(key), prefix: key.slice(0, head.length - SECRET_LENGTH + 4), last4: key.slice(-4) };
}

/** The hash to look up, or null if this cannot be one of our keys. */
export function hashOfApiKey(text: string): Buffer | null {
  if (!KEY_PATTERN.test(text)) return null;
  const head = text.slice(0, -CHECKSUM_LENGTH);
  return text.slice(-CHECKSUM_LENGTH) === checksum(head) ? sha256(text) : null;
}

function checksum(head: string): string {
  let value = crc32(head);
  let text = '';
  for (let n = 0; n < CHECKSUM_LENGTH; n += 1) {
    text = BASE62[value % BASE62.length] + text;
    value = Math.floor(value / BASE62.length);
  }
  return text;
}
