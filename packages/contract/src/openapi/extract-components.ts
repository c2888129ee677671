import type { JsonSchema } from './document.ts';

const MARK = 'x-component';

/**
 * Copies a schema for the description: every marked part becomes a $ref, and its content goes into `components`.
 * One name stands for one schema; a second meaning is a mistake in the contract and throws.
 */
export function extractComponents(schema: unknown, components: Map<string, JsonSchema>): JsonSchema {
  const { [MARK]: name, ...plain } = schema as JsonSchema;
  const copy = copySchema(plain, components);
  if (typeof name !== 'string') return copy;
  const known = components.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy)) {
    throw new Error(`The component ${name} stands for two different schemas`);
  }
  components.set(name, copy);
  return { $ref: `#/components/schemas/${name}` };
}

function copySchema(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, copyKeyword(keyword, value, components)]);
  return withEnumType(Object.fromEntries(entries));
}

function copyKeyword(keyword: string, value: unknown, components: Map<string, JsonSchema>): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as JsonSchema).map(([name, part]) => [name, extractComponents(part, components)]),
      );
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return (value as unknown[]).map((part) => extractComponents(part, components));
    case 'items':
      return extractComponents(value, components);
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : extractComponents(value, components);
    default:
      return value;
  }
}

/** Client generators read `type`; a list of values alone leaves them guessing. */
function withEnumType(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.enum) || schema.type !== undefined) return schema;
  const types = [...new Set(schema.enum.map((value) => (value === null ? 'null' : typeof value)))];
  return { type: types.length === 1 ? types[0] : types, ...schema };
}
