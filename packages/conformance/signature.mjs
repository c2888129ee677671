// Events, "Signature verification": the rules of a receiver.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The times and the `v1` values of a signature header. */
export function parseSignature(header) {
  const parts = String(header ?? '')
    .split(',')
    .map((part) => part.trim().split('='));
  const valuesOf = (wanted) => parts.filter(([name]) => name === wanted).map(([, value]) => value);
  return { times: valuesOf('t'), signatures: valuesOf('v1') };
}

/** Verifies a signature over the raw bytes. Returns null if it is genuine, otherwise the reason. */
export function signatureFault({ header, raw, secret, nowMs }) {
  const { times, signatures } = parseSignature(header);
  if (times.length !== 1 || !/^\d{1,12}$/.test(times[0])) return 't is not 1-12 digits, once';
  if (signatures.length === 0) return 'no v1';
  if (!signatures.every((value) => /^[0-9a-f]{64}$/.test(value))) return 'a v1 is not 64 lowercase hex characters';
  if (Math.abs(nowMs / 1000 - Number(times[0])) > 300) return 't is more than 300 seconds off';
  const expected = createHmac('sha256', secret).update(`${times[0]}.`).update(raw).digest();
  return signatures.some((value) => timingSafeEqual(Buffer.from(value, 'hex'), expected)) ? null : 'no v1 matches';
}
