import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

/**
 * Marks on schemas. Validators see the schema itself and pass over a mark; the OpenAPI generator reads it and writes what
 * clients are generated from.
 */

/** A named component of the description: a $ref there. */
export function Ref<T extends TSchema>(name: string, schema: T): TUnsafe<Static<T>> {
  return { ...schema, 'x-component': name } as unknown as TUnsafe<Static<T>>;
}

/** A choice of named objects that one field tells apart: `oneOf` with a discriminator there. */
export function Discriminated<V extends Record<string, TSchema>>(
  field: string,
  variants: V,
): TUnsafe<Static<V[keyof V]>> {
  const union = Type.Union(Object.entries(variants).map(([name, schema]) => Ref(name, schema)));
  return { ...union, 'x-discriminator': field } as unknown as TUnsafe<Static<V[keyof V]>>;
}

/** An object that has exactly one of these fields: `oneOf` there, a named object for each. The names lead to the fields. */
export function ExactlyOneOf(fields: Readonly<Record<string, string>>): { 'x-exactly-one-of': typeof fields } {
  return { 'x-exactly-one-of': fields };
}
