import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

/** Marks on schemas. Validators ignore a mark; the OpenAPI generator reads it, so that generated clients get named types. */

/** A named component: a $ref in the OpenAPI document. */
export function Ref<T extends TSchema>(name: string, schema: T): TUnsafe<Static<T>> {
  return { ...schema, 'x-component': name } as unknown as TUnsafe<Static<T>>;
}

/** A union of named objects: `oneOf` with a discriminator in the OpenAPI document. */
export function Discriminated<V extends Record<string, TSchema>>(
  field: string,
  variants: V,
): TUnsafe<Static<V[keyof V]>> {
  const union = Type.Union(Object.entries(variants).map(([name, schema]) => Ref(name, schema)));
  return { ...union, 'x-discriminator': field } as unknown as TUnsafe<Static<V[keyof V]>>;
}

/** An object with exactly one of these fields: `oneOf` in the OpenAPI document. Keys are schema names, values are fields. */
export function ExactlyOneOf(fields: Readonly<Record<string, string>>): { 'x-exactly-one-of': typeof fields } {
  return { 'x-exactly-one-of': fields };
}
