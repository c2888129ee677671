import { describe, expect, test } from 'vitest';
import { sha256 } from '../../platform/crypto.ts';
import { hashOfApiKey, newApiKey } from './api-key.ts';

const made = newApiKey({ cell: 'c1', mode: 'test' });
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  test('has a prefix with its type, cell and mode', () => {
    expect(made.key).toMatch(/^atl_sk_c1_test_[0-9A-Za-z]{36}$/);
    expect(newApiKey({ cell: 'eu2', mode: 'live' }).key).toMatch(/^atl_sk_eu2_live_[0-9A-Za-z]{36}$/);
  });

  test('is identified by its hash; the displayed parts do not reveal it', () => {
    expect(hashOfApiKey(made.key)).toEqual(sha256(made.key));
    expect(made.hash).toEqual(sha256(made.key));
    expect(made.key.startsWith(made.prefix)).toBe(true);
    expect(made.key.endsWith(made.last4)).toBe(true);
    expect(made.prefix.length + made.last4.length).toBeLessThan(made.key.length - 24);
  });

  test('with any one character changed is refused without a lookup', () => {
    for (let at = 0; at < made.key.length; at += 1) {
      for (const letter of [...BASE62, '_', '-', ' ']) {
        if (letter === made.key[at]) continue;
        const spoilt = made.key.slice(0, at) + letter + made.key.slice(at + 1);
        expect(hashOfApiKey(spoilt), spoilt).toBeNull();
      }
    }
  });

  test('with two adjacent characters swapped, truncated or extended is refused', () => {
    for (let at = 0; at + 1 < made.key.length; at += 1) {
      const [a, b] = [made.key[at] as string, made.key[at + 1] as string];
      if (a !== b) expect(hashOfApiKey(made.key.slice(0, at) + b + a + made.key.slice(at + 2))).toBeNull();
      expect(hashOfApiKey(made.key.slice(0, at))).toBeNull();
    }
    for (const tail of ['A', '\n', ' ', '\u0000']) expect(hashOfApiKey(made.key + tail)).toBeNull();
    expect(hashOfApiKey(` ${made.key}`)).toBeNull();
    expect(hashOfApiKey('')).toBeNull();
  });

  test('is unique and uses the whole alphabet', () => {
    const keys = Array.from({ length: 2_000 }, () => newApiKey({ cell: 'c1', mode: 'test' }).key);
    expect(new Set(keys).size).toBe(keys.length);
    const secrets = keys.map((key) => key.slice('atl_sk_c1_test_'.length, -6)).join('');
    expect(new Set(secrets).size).toBe(BASE62.length);
  });
});
