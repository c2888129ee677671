import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signDelivery } from './sign-delivery.ts';
import { parseSignatureHeader, verifySignature } from './verify-signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwqgBdLr5uYb0';
const BODY = '{"id":"evt_1","name":"Gr\u00fc\u00dfe"}';
const NOW = 1_760_000_000;
const HEADER = signDelivery({ secrets: [SECRET], timestampSeconds: NOW, body: BODY });
const V1 = HEADER.slice(HEADER.indexOf('v1='));
const ZEROS = `v1=${'0'.repeat(64)}`;

function check(header: string, nowSeconds = NOW) {
  return verifySignature({ secret: SECRET, header, body: BODY, nowSeconds });
}

describe('verifySignature', () => {
  it.each([
    ['as sent', HEADER],
    ['with a wrong v1 first', `t=${NOW},${ZEROS},${V1}`],
    ['with a wrong v1 last', `t=${NOW},${V1},${ZEROS}`],
    ['with something that is no v1 value beside it', `t=${NOW},v1=xyz,${V1}`],
    ['with parts of the future', `t=${NOW},v2=abc,${V1},v0=1`],
    ['with the parts in another order', `${V1},t=${NOW}`],
    ['with spaces after the commas', `t=${NOW}, ${V1}`],
  ])('accepts a header %s', (_name, header) => {
    expect(check(header)).toEqual({ ok: true });
  });

  it('accepts strings and bytes', () => {
    const body = Buffer.from(BODY);
    expect(verifySignature({ secret: SECRET, header: HEADER, body, nowSeconds: NOW })).toEqual({ ok: true });
  });

  it.each([
    ['empty', ''],
    ['without t', V1],
    ['without v1', `t=${NOW}`],
    ['with two t', `t=${NOW},t=${NOW},${V1}`],
    ['with an empty t', `t=,${V1}`],
    ['with a signed t', `t=+${NOW},${V1}`],
    ['with a hex t', `t=0x68e6,${V1}`],
    ['with an exponent', `t=1e9,${V1}`],
    ['with letters after t', `t=${NOW}abc,${V1}`],
    ['with a t of 13 digits', `t=${NOW}000,${V1}`],
    ['with an upper-case v1', `t=${NOW},v1=${V1.slice(3).toUpperCase()}`],
    ['with a short v1', `t=${NOW},${V1.slice(0, -1)}`],
    ['with a long v1', `t=${NOW},${V1}0`],
    ['of 5 000 characters', `t=${NOW},${V1},v9=${'a'.repeat(5_000)}`],
  ])('refuses a header %s as malformed', (_name, header) => {
    expect(check(header)).toEqual({ ok: false, reason: 'malformed' });
  });

  it.each([
    [-301, false],
    [-300, true],
    [300, true],
    [301, false],
    [Number.NaN, false],
  ])('with a clock %d s off: %s', (offSeconds, isAccepted) => {
    expect(check(HEADER, NOW + offSeconds)).toEqual(isAccepted ? { ok: true } : { ok: false, reason: 'timestamp' });
  });

  it('refuses another t with the same v1', () => {
    expect(check(`t=${NOW + 1},${V1}`)).toEqual({ ok: false, reason: 'mismatch' });
    expect(check(`t=0${NOW},${V1}`)).toEqual({ ok: false, reason: 'mismatch' });
  });

  it('refuses when any one byte of body or signature differs', () => {
    const bytes = Buffer.from(BODY);
    for (let at = 0; at < bytes.length; at += 1) {
      const body = Buffer.from(bytes);
      body[at] = (body[at] ?? 0) ^ 1;
      expect(verifySignature({ secret: SECRET, header: HEADER, body, nowSeconds: NOW }).ok).toBe(false);
    }
    for (let at = 3; at < V1.length; at += 1) {
      const flipped = V1[at] === '0' ? '1' : '0';
      expect(check(`t=${NOW},${V1.slice(0, at)}${flipped}${V1.slice(at + 1)}`).ok).toBe(false);
    }
  });

  it('never throws on a header', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (header) => !check(header).ok));
    fc.assert(fc.property(fc.stringMatching(/^[tv10=,a-f]{0,80}$/), (header) => !check(header).ok));
  });

  it('parses a header', () => {
    expect(parseSignatureHeader(HEADER)).toEqual({ timestamp: String(NOW), signatures: [V1.slice(3)] });
  });
});
