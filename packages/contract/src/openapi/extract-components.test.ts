import Type from 'typebox';
import { expect, test } from 'vitest';
import { Closed, Nullable } from '../building-blocks.ts';
import { Discriminated, ExactlyOneOf, Ref } from '../marks.ts';
import type { JsonSchema } from './document.ts';
import { extractComponents } from './extract-components.ts';

const Point = Type.Object({ x: Type.Integer() });

test('a marked part becomes a reference, at any depth', () => {
  const components = new Map<string, JsonSchema>();
  const schema = extractComponents(Type.Object({ points: Type.Array(Ref('Point', Point)) }), components);
  expect(schema).toMatchObject({ properties: { points: { items: { $ref: '#/components/schemas/Point' } } } });
  expect([...components.keys()]).toEqual(['Point']);
});

test('one name for two schemas throws', () => {
  const components = new Map<string, JsonSchema>();
  extractComponents(Ref('Point', Point), components);
  expect(() => extractComponents(Ref('Point', Type.String()), components)).toThrow(/Point/);
});

test('null stands beside a named schema', () => {
  const schema = extractComponents(Nullable(Ref('Point', Point)), new Map());
  expect(schema).toEqual({ anyOf: [{ $ref: '#/components/schemas/Point' }, { type: 'null' }] });
});

test('a discriminated choice names its variants and maps the field to them', () => {
  const components = new Map<string, JsonSchema>();
  const Circle = Type.Object({ kind: Type.Literal('circle'), r: Type.Integer() });
  const Square = Type.Object({ kind: Type.Literal('square'), a: Type.Integer() });
  expect(extractComponents(Discriminated('kind', { Circle, Square }), components)).toEqual({
    oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Square' }],
    discriminator: {
      propertyName: 'kind',
      mapping: { circle: '#/components/schemas/Circle', square: '#/components/schemas/Square' },
    },
  });
  expect([...components.keys()]).toEqual(['Circle', 'Square']);
});

test('exactly one of two fields becomes a choice of two objects', () => {
  const components = new Map<string, JsonSchema>();
  const fields = { id: Type.String(), a: Type.Optional(Type.String()), b: Type.Optional(Type.String()) };
  const schema = extractComponents(Type.Object(fields, { ...Closed, ...ExactlyOneOf({ A: 'a', B: 'b' }) }), components);
  expect(schema).toEqual({ oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] });
  expect(components.get('A')).toMatchObject({ required: ['id', 'a'], additionalProperties: false });
  expect(Object.keys(components.get('A')?.properties as object)).toEqual(['id', 'a']);
  expect(Object.keys(components.get('B')?.properties as object)).toEqual(['id', 'b']);
});

test('a list of values gets its type', () => {
  const components = new Map<string, JsonSchema>();
  expect(extractComponents(Type.Enum(['a', 'b']), components)).toMatchObject({ type: 'string' });
  expect(extractComponents(Nullable(Type.Enum(['a', 'b'])), components)).toMatchObject({ type: ['string', 'null'] });
});

test('a property may be called like a keyword', () => {
  const schema = extractComponents(Type.Object({ enum: Type.Integer(), items: Type.String() }), new Map());
  expect(schema).toMatchObject({ properties: { enum: { type: 'integer' }, items: { type: 'string' } } });
  expect((schema.properties as JsonSchema).type).toBeUndefined();
});
