import type { Static, TSchema, TUnsafe } from 'typebox';

/**
 * Marks a schema as a named component of the description. Validators see the schema itself;
 * the OpenAPI generator reads the mark and writes a $ref.
 */
export function Ref<T extends TSchema>(name: string, schema: T): TUnsafe<Static<T>> {
  return { ...schema, 'x-component': name } as unknown as TUnsafe<Static<T>>;
}
