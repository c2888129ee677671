import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKeyRing, equalInConstantTime, hmacSha256, seal, unseal } from './crypto.ts';

const [first, second, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const keys = createKeyRing([first]);
const rowId = 'row-1';
const sealed = seal({ keys, plaintext: 'whsec_ä', rowId });

describe('createKeyRing', () => {
  test('derives one key per purpose, always the same', () => {
    const purposes = ['quote', 'cursor', 'link', 'seal', 'callback'] as const;
    const derived = purposes.map((purpose) => keys.key(purpose)?.toString('hex'));
    expect(new Set(derived).size).toBe(purposes.length);
    expect(createKeyRing([first]).key('quote')).toEqual(keys.key('quote'));
    expect(keys.key('quote')).not.toEqual(first);
  });

  test('signs with the first master key and verifies with all', () => {
    const rotated = createKeyRing([second, first]);
    expect(rotated.kid).not.toBe(keys.kid);
    expect(rotated.key('quote', keys.kid)).toEqual(keys.key('quote'));
    expect(keys.key('quote', rotated.kid)).toBeNull();
  });

  test('refuses an empty list and keys of the wrong length', () => {
    expect(() => createKeyRing([])).toThrow('at least one');
    expect(() => createKeyRing([randomBytes(31)])).toThrow('32 bytes');
  });
});

describe('seal', () => {
  test('opens with the same key and row', () => {
    expect(unseal({ keys, sealed, rowId })).toBe('whsec_ä');
    expect(unseal({ keys: createKeyRing([second, first]), sealed, rowId })).toBe('whsec_ä');
  });

  test('produces a different value each time and hides the text', () => {
    expect(seal({ keys, plaintext: 'whsec_ä', rowId })).not.toBe(sealed);
    expect(Buffer.from(sealed.split('.')[2] as string, 'base64url').includes('whsec')).toBe(false);
  });

  test('cannot be opened in another row, with another key, or when modified', () => {
    expect(() => unseal({ keys, sealed, rowId: 'row-2' })).toThrow();
    expect(() => unseal({ keys: createKeyRing([foreign]), sealed, rowId })).toThrow('no master key');
    const [version, kid, data] = sealed.split('.') as [string, string, string];
    const bytes = Buffer.from(data, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const spoilt = Buffer.from(bytes);
      spoilt[at] = (spoilt[at] as number) ^ 1;
      expect(() => unseal({ keys, sealed: `${version}.${kid}.${spoilt.toString('base64url')}`, rowId })).toThrow();
    }
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = `${version}.${kid}.${bytes.subarray(0, length).toString('base64url')}`;
      expect(() => unseal({ keys, sealed: cut, rowId })).toThrow();
    }
    for (const text of ['', 's1', `s2.${kid}.${data}`, `s1.${kid}`, `s1..${data}`]) {
      expect(() => unseal({ keys, sealed: text, rowId })).toThrow();
    }
  });

  test('keeps an empty text', () => {
    expect(unseal({ keys, sealed: seal({ keys, plaintext: '', rowId }), rowId })).toBe('');
  });
});

test('equalInConstantTime compares any lengths', () => {
  const [a, b] = [Buffer.from('abc'), Buffer.from('abcd')];
  expect(equalInConstantTime({ a, b: Buffer.from('abc') })).toBe(true);
  expect(equalInConstantTime({ a, b })).toBe(false);
  expect(equalInConstantTime({ a: Buffer.alloc(0), b })).toBe(false);
});

test('hmacSha256 matches RFC 4231, case 2', () => {
  expect(hmacSha256({ key: Buffer.from('Jefe'), data: 'what do ya want for nothing?' }).toString('hex')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
