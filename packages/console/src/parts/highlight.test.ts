import fc from 'fast-check';
import { expect, test } from 'vitest';
import { highlight, type Language } from './highlight.ts';

const LANGUAGES: readonly Language[] = ['json', 'shell', 'typescript', 'python', 'http'];

test('loses and adds nothing, whatever the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...LANGUAGES), (text, language) => {
      const joined = highlight(text, language)
        .map((token) => token.text)
        .join('');
      expect(joined).toBe(text);
    }),
  );
});

test('names, strings and numbers of JSON', () => {
  const kinds = highlight('{"a": "b", "c": 1, "d": null}', 'json')
    .filter(({ kind }) => kind !== null)
    .map(({ text, kind }) => `${kind} ${text}`);
  expect(kinds).toEqual(['key "a"', 'string "b"', 'key "c"', 'literal 1', 'key "d"', 'literal null']);
});

test('an id in a header is not a number', () => {
  const literals = highlight('Service-Event-Id: 0198a1c3-6127-7f3b', 'http').filter(({ kind }) => kind === 'literal');
  expect(literals).toEqual([]);
});
