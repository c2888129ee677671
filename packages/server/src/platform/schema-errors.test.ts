import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { listSchemaErrors } from './schema-errors.ts';

const schema = Compile(
  Type.Object(
    {
      name: Type.String(),
      kind: Type.Optional(Type.Enum(['a', 'b'])),
      sizes: Type.Optional(Type.Array(Type.Integer())),
      limit: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    },
    { additionalProperties: false },
  ),
);
const errorsOf = (value: unknown) =>
  listSchemaErrors(schema, value)
    .filter(({ isBranch }) => !isBranch)
    .map(({ path, message }) => [path, message]);

test.each([
  ['a value that matches', { name: 'x', sizes: [1] }, []],
  ['a missing field', {}, [[[], 'lacks name']]],
  ['an unknown field, once', { name: 'x', 'a/b': 1 }, [[['a/b'], 'is not a known field']]],
  ['a choice', { name: 'x', kind: 'c' }, [[['kind'], 'must be one of a, b']]],
  ['an item of a list', { name: 'x', sizes: [1, 'two'] }, [[['sizes', 1], 'must be integer']]],
  ['a union', { name: 'x', limit: 'none' }, [[['limit'], 'has the wrong type']]],
])('%s', (_what, value, expected) => {
  expect(errorsOf(value)).toEqual(expected);
});

test('missing and unknown fields are named for callers that word them themselves', () => {
  const errors = listSchemaErrors(schema, { nmae: 'x' });
  expect(errors.flatMap(({ missing }) => missing)).toEqual(['name']);
  expect(errors.filter(({ isUnknownField }) => isUnknownField).map(({ path }) => path)).toEqual([['nmae']]);
});
