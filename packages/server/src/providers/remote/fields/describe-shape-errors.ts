import { type CompiledSchema, listSchemaErrors } from '../../../platform/schema-errors.ts';
import type { RouteError } from '../../provider.ts';

/** Every error of a record, each with its path and what is allowed there. */
export function describeShapeErrors(
  shape: CompiledSchema,
  options: {
    value: unknown;
    /** The record's own schema, for the names of its fields. */
    schema: { readonly properties: Readonly<Record<string, unknown>> };
    at?: RouteError['path'];
    /** Fields that are checked elsewhere. */
    except?: readonly string[];
  },
): RouteError[] {
  const { value, schema, at = [], except = [] } = options;
  return listSchemaErrors(shape, value)
    .filter(({ path, isBranch }) => !isBranch && !except.includes(String(path[0] ?? '')))
    .map(({ path, message, isUnknownField }) => ({
      path: [...at, ...path],
      reason:
        isUnknownField && path.length === 1
          ? `${message}; the fields are ${Object.keys(schema.properties).join(', ')}`
          : message,
    }));
}
