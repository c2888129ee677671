import Type from 'typebox';
import { expect, test } from 'vitest';
import { Nullable } from '../building-blocks.ts';
import { Ref } from '../ref.ts';
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
  expect(() => extractComponents(Nullable(Ref('Point', Point)), components)).toThrow(/Point/);
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
