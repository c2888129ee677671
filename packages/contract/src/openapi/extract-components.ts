import type { JsonSchema } from './document.ts';

const COMPONENTS = '#/components/schemas/';
const MARK = 'x-component';
const DISCRIMINATOR = 'x-discriminator';
const EXACTLY_ONE_OF = 'x-exactly-one-of';

/**
 * Copies a schema for the OpenAPI document: every named part becomes a $ref, and its content goes into `components`.
 * Throws if two different schemas have the same name.
 */
export function extractComponents(schema: unknown, components: Map<string, JsonSchema>): JsonSchema {
  const { [MARK]: name, ...plain } = schema as JsonSchema;
  const copy = copyMarked(plain, components);
  if (typeof name !== 'string') return copy;
  const known = components.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy)) {
    throw new Error(`The component ${name} has two different schemas`);
  }
  components.set(name, copy);
  return { $ref: `${COMPONENTS}${name}` };
}

function copyMarked(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const { [DISCRIMINATOR]: field, [EXACTLY_ONE_OF]: choice, ...plain } = schema;
  if (typeof field === 'string') return copyDiscriminated(plain, field, components);
  const copy = copySchema(plain, components);
  if (choice === undefined) return copy;
  const { description, ...object } = copy;
  const fields = choice as Readonly<Record<string, string>>;
  const variants = Object.entries(fields).map(([name, chosen]) => {
    components.set(name, requireOneOf(object, chosen, Object.values(fields)));
    return { $ref: `${COMPONENTS}${name}` };
  });
  return { ...(description === undefined ? {} : { description }), oneOf: variants };
}

/** The object with one of the fields required and without the others. */
export function requireOneOf(object: JsonSchema, chosen: string, fields: readonly string[]): JsonSchema {
  const properties = Object.entries(object.properties as JsonSchema);
  return {
    ...object,
    required: [...((object.required ?? []) as string[]), chosen],
    properties: Object.fromEntries(properties.filter(([name]) => name === chosen || !fields.includes(name))),
  };
}

/** `oneOf` with a mapping from the value of the field to the named schema. */
function copyDiscriminated(union: JsonSchema, field: string, components: Map<string, JsonSchema>): JsonSchema {
  const { anyOf, ...rest } = copySchema(union, components) as { anyOf: ReadonlyArray<{ $ref: string }> };
  const mapping = anyOf.map(({ $ref }) => {
    const variant = components.get($ref.slice(COMPONENTS.length)) as {
      properties: Record<string, { const?: string }>;
    };
    return [variant.properties[field]?.const, $ref];
  });
  return { ...rest, oneOf: anyOf, discriminator: { propertyName: field, mapping: Object.fromEntries(mapping) } };
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

/** Client generators need a `type`; an enum alone is not enough. */
function withEnumType(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.enum) || schema.type !== undefined) return schema;
  const types = [...new Set(schema.enum.map((value) => (value === null ? 'null' : typeof value)))];
  return { type: types.length === 1 ? types[0] : types, ...schema };
}
