import fc, { type Arbitrary } from 'fast-check';

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

const MAX_TEXT = 300;

/** Values that the schema allows. */
export function arbitraryOf(schema: Schema): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(arbitraryOf));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type: string) => arbitraryOf({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined ? textOf(schema) : fc.stringMatching(new RegExp(schema.pattern));
    case 'integer':
      return fc.integer(boundsOf(schema));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), { maxLength: 4 });
    case 'object':
      return objectOf(schema);
    default:
      return fc.jsonValue();
  }
}

function textOf({ minLength = 0, maxLength = MAX_TEXT }: Schema): Arbitrary<string> {
  return fc.string({ minLength, maxLength: Math.min(maxLength, MAX_TEXT), unit: 'grapheme' });
}

function boundsOf({ minimum, exclusiveMinimum, maximum }: Schema): { min: number; max: number } {
  const min = minimum ?? (exclusiveMinimum === undefined ? -1_000 : exclusiveMinimum + 1);
  return { min, max: Math.min(maximum ?? 1_000_000, 2 ** 31 - 1) };
}

function objectOf({ properties = {}, required = [] }: Schema): Arbitrary<object> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema)]));
  return fc.record(members, { requiredKeys: [...required] });
}
