import { equalInConstantTime, hmacSha256, type KeyPurpose, type KeyRing } from './crypto.ts';

/**
 * Stateless tokens of the form `<prefix>.<kid>.<payload>.<mac>`, all base64url. There is no algorithm field to tamper with.
 * The MAC covers everything before it, so a token is not valid under another prefix or key.
 */
export function signToken(options: { keys: KeyRing; purpose: KeyPurpose; prefix: string; payload: unknown }): string {
  const key = options.keys.key(options.purpose);
  if (key === null) throw new Error('no signing key');
  const head = `${options.prefix}.${options.keys.kid}.${Buffer.from(JSON.stringify(options.payload)).toString('base64url')}`;
  return `${head}.${hmacSha256({ key, data: head }).toString('base64url')}`;
}

/** The payload, or null if the token was not signed by this service. */
export function openToken(options: { keys: KeyRing; purpose: KeyPurpose; prefix: string; token: string }): unknown {
  const parts = options.token.split('.');
  const [prefix, kid, payload, mac] = parts;
  if (
    parts.length !== 4 ||
    prefix !== options.prefix ||
    kid === undefined ||
    payload === undefined ||
    mac === undefined
  ) {
    return null;
  }
  const key = options.keys.key(options.purpose, kid);
  if (key === null) return null;
  const expected = hmacSha256({ key, data: `${prefix}.${kid}.${payload}` }).toString('base64url');
  if (!equalInConstantTime({ a: Buffer.from(expected), b: Buffer.from(mac) })) return null;
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
}
