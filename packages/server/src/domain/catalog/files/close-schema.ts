import type { TSchema } from 'typebox';

/** The same schema, but refuses unknown fields. The contract allows them, since responses may gain fields. */
export function closeSchema<T extends TSchema>(schema: T): T {
  return close(schema) as T;
}

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) copy[key] = close(value);
  if (copy.type === 'object') copy.additionalProperties = false;
  return copy;
}
