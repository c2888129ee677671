import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKeyRing } from '../../platform/crypto.ts';
import { signToken } from '../../platform/signed-token.ts';
import { hashParams, openQuote, type QuoteTerms, signQuote } from './quote-token.ts';

const master = randomBytes(32);
const keys = createKeyRing([master]);
const terms: QuoteTerms = {
  accountId: randomUUID(),
  modelId: 'canvas',
  effectId: null,
  paramsHash: hashParams({ prompt: 'x' }),
  coins: 14,
  coinsPerOutput: 7,
  outputs: 2,
  pricebookVersion: 'abc',
  expiresAtSeconds: 1_800_000_000,
};

describe('a quote token', () => {
  test('contains the signed terms', () => {
    expect(openQuote(keys, signQuote(keys, terms))).toEqual(terms);
    const withEffect = { ...terms, effectId: 'glow' };
    expect(openQuote(keys, signQuote(keys, withEffect))).toEqual(withEffect);
  });

  test('is refused if any character differs', () => {
    const token = signQuote(keys, terms);
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ['A', 'b', '.', '=', ' ', '\0']) {
        if (token[at] === other) continue;
        expect(openQuote(keys, `${token.slice(0, at)}${other}${token.slice(at + 1)}`), `position ${at}`).toBeNull();
      }
      expect(openQuote(keys, token.slice(0, at) + token.slice(at + 1)), `without position ${at}`).toBeNull();
    }
  });

  test('is refused if any bit is flipped', () => {
    const bytes = Buffer.from(signQuote(keys, terms));
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(openQuote(keys, flipped.toString('latin1'))).toBeNull();
    }
  });

  test('is refused with another master key, but accepted with an older one', () => {
    const token = signQuote(keys, terms);
    expect(openQuote(createKeyRing([randomBytes(32)]), token)).toBeNull();
    expect(openQuote(createKeyRing([randomBytes(32), master]), token)).toEqual(terms);
  });

  test('of another purpose or kind is not a quote', () => {
    const payload = JSON.parse(Buffer.from(signQuote(keys, terms).split('.')[2]!, 'base64url').toString());
    expect(openQuote(keys, signToken({ keys, purpose: 'quote', prefix: 'q1', payload }))).toEqual(terms);
    expect(openQuote(keys, signToken({ keys, purpose: 'cursor', prefix: 'q1', payload }))).toBeNull();
    expect(openQuote(keys, signToken({ keys, purpose: 'quote', prefix: 'c1', payload }))).toBeNull();
  });

  test.each(['', '.', '...', 'q1', 'q1...', 'a.b.c.d.e', 'q1.0000.e30.e30'])('is not %j', (text) => {
    expect(openQuote(keys, text)).toBeNull();
  });
});

describe('the hash of params', () => {
  test('does not depend on the order of keys', () => {
    expect(hashParams({ prompt: 'x', num_outputs: 2 })).toBe(hashParams({ num_outputs: 2, prompt: 'x' }));
  });

  test('differs for different values', () => {
    const hashes = [
      {},
      { prompt: 'x' },
      { prompt: 'X' },
      { prompt: 'x', num_outputs: 1 },
      { prompt: 'x', num_outputs: 2 },
      { images: ['a', 'b'] },
      { images: ['b', 'a'] },
    ].map((params) => hashParams(params));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
