import type { TSchema } from 'typebox';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Marks of the contract that only its OpenAPI document uses. */
const MARKS = new Set(['x-component', 'x-discriminator', 'x-exactly-one-of']);
type Place = (name: string, schema: JsonSchema) => JsonSchema;

/**
 * The input of a tool as language models see it: everything in place, because some of them resolve no $ref. The
 * description of a named part stands only at its first use: forty params have the same one.
 */
export function describeInput(schema: TSchema): JsonSchema {
  const seen = new Set<string>();
  return copy(schema as JsonSchema, (name, part) => {
    const { description, ...plain } = part;
    if (description === undefined || seen.has(name)) return plain;
    seen.add(name);
    return part;
  });
}

/** The output of a tool, for programs: named parts are in `$defs`, each once. */
export function describeOutput(schema: TSchema): JsonSchema {
  const parts = new Map<string, JsonSchema>();
  const root = copy(schema as JsonSchema, (name, part) => {
    parts.set(name, part);
    return { $ref: `#/$defs/${name}` };
  });
  return parts.size === 0 ? root : { ...root, $defs: Object.fromEntries(parts) };
}

function copy(schema: JsonSchema, place: Place): JsonSchema {
  const entries = Object.entries(schema)
    .filter(([keyword]) => !MARKS.has(keyword))
    .map(([keyword, value]) => [keyword, copyKeyword(keyword, value, place)]);
  // Some providers of language models refuse an enum without a type.
  const isText = Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string');
  return { ...(isText ? { type: 'string' } : {}), ...Object.fromEntries(entries) };
}

function copyPart(part: unknown, place: Place): JsonSchema {
  const schema = part as JsonSchema;
  const name = schema['x-component'];
  const copied = copy(schema, place);
  return typeof name === 'string' ? place(name, copied) : copied;
}

function copyKeyword(keyword: string, value: unknown, place: Place): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as JsonSchema).map(([name, part]) => [name, copyPart(part, place)]),
      );
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return (value as unknown[]).map((part) => copyPart(part, place));
    case 'items':
      return copyPart(value, place);
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : copyPart(value, place);
    default:
      return value;
  }
}
