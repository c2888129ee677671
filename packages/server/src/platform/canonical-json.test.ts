import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from './crypto.ts';

/** The same value with its keys in a different order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffled(member)]),
  );
}

const values = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });

describe('canonicalJson', () => {
  test('does not depend on key order', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test('parses back to the same value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('distinguishes different values', () => {
    const texts = [
      '{"a":1}',
      '{"a":"1"}',
      '{"a":[1]}',
      '{"a":null}',
      '{"b":1}',
      '{"a":{"b":1}}',
      '[]',
      '{}',
      '""',
      '0',
    ];
    expect(new Set(texts.map((text) => canonicalJson(JSON.parse(text)))).size).toBe(texts.length);
  });

  test('writes equal numbers equally and omits undefined members', () => {
    expect(canonicalJson({ b: -0, a: 1e3, c: undefined })).toBe('{"a":1000,"b":0}');
  });

  test('sorts by code unit, whatever the locale', () => {
    expect(canonicalJson({ é: 1, z: 1, Z: 1, a: 1, 10: 1, 9: 1 })).toBe('{"10":1,"9":1,"Z":1,"a":1,"z":1,"é":1}');
  });
});
