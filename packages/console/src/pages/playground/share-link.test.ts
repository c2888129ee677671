import { expect, test } from 'vitest';
import { MAX_FRAGMENT_LENGTH, readFragment, readPlaygroundSearch, writeFragment, writeLink } from './share-link.ts';

test('a link holds the whole form, whatever its characters', () => {
  const params = { prompt: 'Füße & 日本 🙂 </script> #?+%', seed: 0, instrumental: false, images: ['a', 'b'] };
  const link = writeLink({ origin: 'https://c.example', accountId: 'a1', modelId: 'm', effectId: null, params })!;
  const url = new URL(link);
  expect(url.pathname + url.search).toBe('/accounts/a1/playground?model=m');
  expect(url.hash.slice(1)).toMatch(/^[\w-]+$/);
  expect(readFragment(url.hash)).toEqual(params);
});

test('a form without settings has no fragment, and one that is too long no link', () => {
  const base = { origin: 'https://c.example', accountId: 'a1', modelId: 'm', effectId: 'vhs' };
  expect(writeLink({ ...base, params: {} })).toBe('https://c.example/accounts/a1/playground?model=m&effect=vhs');
  expect(writeLink({ ...base, params: { prompt: 'x'.repeat(MAX_FRAGMENT_LENGTH) } })).toBeNull();
});

test.each([
  ['empty', ''],
  ['not base64', '#%%%'],
  ['not JSON', `#${btoa('{')}`],
  ['not UTF-8', `#${btoa('"\xff"')}`],
  ['a list', `#${btoa('[1]')}`],
  ['null', `#${btoa('null')}`],
  ['too long', `#${'A'.repeat(MAX_FRAGMENT_LENGTH + 1)}`],
])('a fragment that is %s gives an empty form', (_name, fragment) => {
  expect(readFragment(fragment)).toEqual({});
});

test('only known params with plain values come out of a fragment', () => {
  const hostile = JSON.parse('{"__proto__":{"x":1},"prompt":{"a":1},"seed":null,"images":[1],"style":"a","other":"b"}');
  const fragment = btoa(JSON.stringify({ ...hostile, constructor: 'x' }));
  expect(readFragment(fragment)).toEqual({ style: 'a' });
  expect(writeFragment({})).toBe('');
});

test('an address names a model and an effect', () => {
  expect(readPlaygroundSearch({ model: 'canvas', effect: '', x: 1 })).toEqual({ model: 'canvas' });
  expect(readPlaygroundSearch({ model: { a: 1 }, effect: 'vhs' })).toEqual({ effect: 'vhs' });
});
