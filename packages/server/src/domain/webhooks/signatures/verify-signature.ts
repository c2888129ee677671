import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_TOLERANCE_SECONDS = 300;
const MAX_HEADER_LENGTH = 4_096;

export interface SignatureHeader {
  /** As written: leading zeros are part of the signed text. */
  timestamp: string;
  signatures: string[];
}

export interface VerifySignatureOptions {
  secret: string;
  header: string;
  /** The exact bytes received, before any parsing. */
  body: Buffer | string;
  nowSeconds: number;
  toleranceSeconds?: number;
}

export type SignatureCheck = { ok: true } | { ok: false; reason: 'malformed' | 'timestamp' | 'mismatch' };

/** The four checks of a receiver. Shares no code with the signer, so that each verifies the other. */
export function verifySignature(options: VerifySignatureOptions): SignatureCheck {
  const parsed = parseSignatureHeader(options.header);
  if (parsed === null) return { ok: false, reason: 'malformed' };

  const signed = Buffer.concat([Buffer.from(`${parsed.timestamp}.`), Buffer.from(options.body)]);
  const expected = createHmac('sha256', Buffer.from(options.secret)).update(signed).digest();
  let isMatch = false;
  for (const signature of parsed.signatures) {
    // No early exit: the time taken reveals nothing about which value matched.
    if (timingSafeEqual(Buffer.from(signature, 'hex'), expected)) isMatch = true;
  }
  if (!isMatch) return { ok: false, reason: 'mismatch' };

  const ageSeconds = Math.abs(options.nowSeconds - Number(parsed.timestamp));
  // Written so that a NaN clock is refused.
  if (!(ageSeconds <= (options.toleranceSeconds ?? SIGNATURE_TOLERANCE_SECONDS))) {
    return { ok: false, reason: 'timestamp' };
  }
  return { ok: true };
}

/** Null unless there is exactly one `t` and at least one valid `v1`. Other parts are ignored. */
export function parseSignatureHeader(header: string): SignatureHeader | null {
  if (header.length > MAX_HEADER_LENGTH) return null;
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const item of header.split(',')) {
    const separator = item.indexOf('=');
    const name = item.slice(0, Math.max(separator, 0)).trim();
    const value = item.slice(separator + 1).trim();
    if (name === 't') timestamps.push(value);
    if (name === 'v1' && /^[0-9a-f]{64}$/.test(value)) signatures.push(value);
  }
  const [timestamp] = timestamps;
  if (timestamp === undefined || timestamps.length > 1 || !/^[0-9]{1,12}$/.test(timestamp)) return null;
  return signatures.length === 0 ? null : { timestamp, signatures };
}
