import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { signDelivery } from './sign-delivery.ts';
import { verifySignature } from './verify-signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwqgBdLr5uYb0';
const OTHER = 'whsec_0000000000000000000000000000000000000000000';
const BODY = '{"id":"evt_1","type":"generation.succeeded"}';
const NOW = 1_760_000_000;

// An independent implementation of the same scheme. It refuses only old timestamps.
const oracle = new Stripe('sk_test_offline').webhooks.signature;

describe('signDelivery', () => {
  it('matches a vector computed by hand', () => {
    const digest = createHmac('sha256', SECRET).update(`${NOW}.${BODY}`).digest('hex');
    expect(signDelivery({ secrets: [SECRET], timestampSeconds: NOW, body: BODY })).toBe(`t=${NOW},v1=${digest}`);
  });

  it('matches a vector computed by openssl', () => {
    // printf '1760000000.{}' | openssl dgst -sha256 -hmac whsec_test
    expect(signDelivery({ secrets: ['whsec_test'], timestampSeconds: NOW, body: '{}' })).toBe(
      `t=${NOW},v1=36bd79465b49ac7ce6ef02dc49dc372557425a18a75801997a2c67271410b927`,
    );
  });

  it('is accepted by stripe-node for any body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), (body) => {
        const header = signDelivery({ secrets: [SECRET], timestampSeconds: NOW, body });
        expect(oracle?.verifyHeader(body, header, SECRET, 300, undefined, NOW * 1_000)).toBe(true);
        expect(verifySignature({ secret: SECRET, header, body, nowSeconds: NOW })).toEqual({ ok: true });
      }),
      { numRuns: 200 },
    );
  });

  it('signs with every secret, so that either one verifies', () => {
    const header = signDelivery({ secrets: [OTHER, SECRET], timestampSeconds: NOW, body: BODY });
    for (const secret of [SECRET, OTHER]) {
      expect(oracle?.verifyHeader(BODY, header, secret, 300, undefined, NOW * 1_000)).toBe(true);
      expect(verifySignature({ secret, header, body: BODY, nowSeconds: NOW })).toEqual({ ok: true });
    }
  });

  it('is refused by stripe-node with another secret or another body', () => {
    const header = signDelivery({ secrets: [SECRET], timestampSeconds: NOW, body: BODY });
    expect(() => oracle?.verifyHeader(BODY, header, OTHER, 300, undefined, NOW * 1_000)).toThrow();
    expect(() => oracle?.verifyHeader(`${BODY} `, header, SECRET, 300, undefined, NOW * 1_000)).toThrow();
  });

  it.each([
    ['no secret', { secrets: [], timestampSeconds: NOW }],
    ['too many secrets', { secrets: Array(5).fill(SECRET), timestampSeconds: NOW }],
    ['a decoded secret', { secrets: ['MfKQ9r8G'], timestampSeconds: NOW }],
    ['milliseconds', { secrets: [SECRET], timestampSeconds: NOW * 1_000 }],
    ['a fraction', { secrets: [SECRET], timestampSeconds: NOW + 0.5 }],
    ['a negative time', { secrets: [SECRET], timestampSeconds: -1 }],
    ['no number', { secrets: [SECRET], timestampSeconds: Number.NaN }],
  ])('throws on %s', (_name, options) => {
    expect(() => signDelivery({ ...options, body: BODY })).toThrow();
  });
});
