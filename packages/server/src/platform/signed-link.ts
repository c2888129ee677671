import { timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from './crypto.ts';

export const LINK_VARIANTS = [
  'file',
  'thumbnail',
  'poster',
  'waveform',
  'obj',
  'fbx',
  'usdz',
  'stl',
  'srt',
  'vtt',
] as const;

export type LinkVariant = (typeof LINK_VARIANTS)[number];
export type LinkDisposition = 'inline' | 'attachment';

/** Key id to key. During a key rotation all keys verify. */
export interface LinkKeys {
  get(kid: string): Buffer | undefined;
}

export type LinkVerdict =
  | {
      readonly ok: true;
      readonly assetId: string;
      readonly variant: LinkVariant;
      readonly disposition: LinkDisposition;
      readonly expiresAtSeconds: number;
    }
  | { readonly ok: false; readonly reason: 'malformed' | 'expired' | 'forged' };

const MIN_KEY_BYTES = 32;
const MAX_LINK_CHARS = 512;
const KID_PATTERN = '[A-Za-z0-9_-]{1,32}';
const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

// Each link has exactly one valid form. The last base64url character of 32 bytes carries four bits, so only sixteen
// letters are canonical there: any other would be a second form of the same signature.
const LINK = new RegExp(
  `^(/v1/(${UUID_PATTERN})/(${LINK_VARIANTS.join('|')}))` +
    `\\?e=([1-9][0-9]{0,11})&k=(${KID_PATTERN})(&d=attachment)?&s=([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$`,
);
const ASSET_ID = new RegExp(`^${UUID_PATTERN}$`);
const KID = new RegExp(`^${KID_PATTERN}$`);

/**
 * The only place that defines the format of a link: `{origin}/v1/{assetId}/{variant}?e=&k=[&d=attachment]&s=`.
 * The edge (docs/operate/edge/sign.js) verifies the same string.
 */
export function signLink(options: {
  readonly key: Buffer;
  readonly kid: string;
  readonly origin: string;
  readonly assetId: string;
  readonly variant: LinkVariant;
  readonly disposition: LinkDisposition;
  readonly expiresAtSeconds: number;
}): string {
  const { key, kid, origin, assetId, variant, disposition, expiresAtSeconds } = options;
  const host = hostOf(origin);
  if (!ASSET_ID.test(assetId)) throw new TypeError('assetId must be a lower-case uuid');
  if (!KID.test(kid)) throw new TypeError('kid must be 1 to 32 characters of A-Z a-z 0-9 _ -');
  if (!Number.isSafeInteger(expiresAtSeconds) || expiresAtSeconds <= 0 || expiresAtSeconds >= 1e12) {
    throw new TypeError('expiresAtSeconds must be whole unix seconds');
  }
  const path = `/v1/${assetId}/${variant}`;
  const signature = digest(key, { host, path, expires: String(expiresAtSeconds), disposition }).toString('base64url');
  const attachment = disposition === 'attachment' ? '&d=attachment' : '';
  return `${origin}${path}?e=${expiresAtSeconds}&k=${kid}${attachment}&s=${signature}`;
}

let known = { origin: '', host: '' };

/** Parsing a URL costs as much as signing, and a process signs for one origin. */
function hostOf(origin: string): string {
  if (known.origin !== origin) {
    const { host, origin: canonicalOrigin } = new URL(origin);
    if (canonicalOrigin !== origin) throw new TypeError('origin must be scheme, host and port only, in lower case');
    known = { origin, host };
  }
  return known.host;
}

/**
 * `host` and `pathAndQuery` are used as received, undecoded and without case folding.
 * A link is valid before `expiresAtSeconds`, not at it. Only an authentic link is reported as expired.
 */
export function verifyLink(options: {
  readonly keys: LinkKeys;
  readonly host: string;
  readonly pathAndQuery: string;
  readonly nowSeconds: number;
}): LinkVerdict {
  const { keys, host, pathAndQuery, nowSeconds } = options;
  const match = pathAndQuery.length <= MAX_LINK_CHARS ? LINK.exec(pathAndQuery) : null;
  if (match === null) return { ok: false, reason: 'malformed' };
  const [, path, assetId, variant, expires, kid, attachment, signature] = match;

  const key = keys.get(kid!);
  if (key === undefined) return { ok: false, reason: 'forged' };
  const disposition = attachment === undefined ? 'inline' : 'attachment';
  const expected = digest(key, { host, path: path!, expires: expires!, disposition });
  if (!timingSafeEqual(expected, Buffer.from(signature!, 'base64url'))) return { ok: false, reason: 'forged' };

  const expiresAtSeconds = Number(expires);
  if (nowSeconds >= expiresAtSeconds) return { ok: false, reason: 'expired' };
  return { ok: true, assetId: assetId!, variant: variant as LinkVariant, disposition, expiresAtSeconds };
}

function digest(
  key: Buffer,
  signed: { host: string; path: string; expires: string; disposition: LinkDisposition },
): Buffer {
  if (key.length < MIN_KEY_BYTES) throw new TypeError(`a link key must have at least ${MIN_KEY_BYTES} bytes`);
  const text = `dl\n${signed.host}\n${signed.path}\n${signed.expires}\n${signed.disposition}`;
  return hmacSha256({ key, data: text });
}
