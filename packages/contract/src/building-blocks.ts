import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

/** `T | null`, written as a type list where JSON Schema allows it, to keep the OpenAPI document short. */
export function Nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const plain = schema as TSchema & { type?: unknown; $ref?: unknown; enum?: unknown[]; 'x-component'?: unknown };
  // A named schema stays a $ref, with null as the alternative.
  if (plain['x-component'] !== undefined) {
    return Type.Unsafe<Static<T> | null>({ anyOf: [plain, { type: 'null' }] });
  }
  if (typeof plain.type === 'string' && plain.enum === undefined) {
    return Type.Unsafe<Static<T> | null>({ ...plain, type: [plain.type, 'null'] });
  }
  if (plain.enum !== undefined) return Type.Unsafe<Static<T> | null>({ ...plain, enum: [...plain.enum, null] });
  return Type.Unsafe<Static<T> | null>({ anyOf: [plain, { type: 'null' }] });
}

/** A request body rejects unknown fields: with a misspelled field, the client would pay for the wrong thing. */
export const Closed = { additionalProperties: false } as const;

export const DateTime = (description?: string) =>
  Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) });

export const Positive = (description?: string) =>
  Type.Integer({ exclusiveMinimum: 0, ...(description === undefined ? {} : { description }) });

export const Natural = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
