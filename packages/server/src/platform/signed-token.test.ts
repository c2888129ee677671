import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKeyRing } from './crypto.ts';
import { openToken, signToken } from './signed-token.ts';

const [first, second] = [randomBytes(32), randomBytes(32)];
const keys = createKeyRing([first]);
const payload = ['account', 7, null, { a: 'ä' }];
const token = signToken({ keys, purpose: 'quote', prefix: 'q1', payload });
const open = (text: string, more: Partial<Parameters<typeof openToken>[0]> = {}) =>
  openToken({ keys, purpose: 'quote', prefix: 'q1', token: text, ...more });

describe('a signed token', () => {
  test('returns its payload', () => expect(open(token)).toEqual(payload));

  test('is bound to its purpose, its prefix and its key', () => {
    expect(open(token, { purpose: 'cursor' })).toBeNull();
    expect(open(token, { prefix: 'c1' })).toBeNull();
    expect(open(`c1${token.slice(2)}`, { prefix: 'c1' })).toBeNull();
    expect(open(token, { keys: createKeyRing([second]) })).toBeNull();
    expect(open(token, { keys: createKeyRing([second, first]) })).toEqual(payload);
  });

  test('with any one character changed is invalid', () => {
    for (let at = 0; at < token.length; at += 1) {
      for (const letter of ['A', 'B', '_', '.', '=', ' ']) {
        if (letter === token[at]) continue;
        expect(open(token.slice(0, at) + letter + token.slice(at + 1))).toBeNull();
      }
    }
  });

  test('truncated, extended or combined from two is invalid', () => {
    for (let length = 0; length < token.length; length += 1) expect(open(token.slice(0, length))).toBeNull();
    for (const tail of ['=', '.', 'A', '.A', '\n']) expect(open(token + tail)).toBeNull();
    const other = signToken({ keys, purpose: 'quote', prefix: 'q1', payload: ['another'] });
    const [, , otherPayload] = other.split('.');
    const [prefix, kid, , mac] = token.split('.');
    expect(open([prefix, kid, otherPayload, mac].join('.'))).toBeNull();
  });

  test.each(['', '.', '...', 'q1...', 'q1.0000.e30.', 'q1.__proto__.e30.AAAA'])('%j is invalid', (text) => {
    expect(open(text)).toBeNull();
  });
});
