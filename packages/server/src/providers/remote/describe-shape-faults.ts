import type { TLocalizedValidationError } from 'typebox/error';
import type { RouteFault } from '../provider.ts';

interface Shape {
  Check(value: unknown): boolean;
  Errors(value: unknown): TLocalizedValidationError[];
}

/** Every fault of a record, each with its place and with what is allowed there. */
export function describeShapeFaults(
  shape: Shape,
  options: {
    value: unknown;
    /** The record's own schema, for the names of its fields. */
    schema: { readonly properties: Readonly<Record<string, unknown>> };
    at?: RouteFault['path'];
    /** Fields that are judged elsewhere. */
    except?: readonly string[];
  },
): RouteFault[] {
  const { value, schema, at = [], except = [] } = options;
  if (shape.Check(value)) return [];
  const faults: RouteFault[] = [];
  for (const error of shape.Errors(value)) {
    const path = error.instancePath.split('/').slice(1).map(unescapePointer);
    if (error.keyword === 'additionalProperties' || error.schemaPath.includes('/anyOf/')) continue;
    if (except.includes(String(path[0] ?? ''))) continue;
    faults.push({ path: [...at, ...path], reason: describe(error, path.length === 1 ? schema : undefined) });
  }
  return faults;
}

function describe(error: TLocalizedValidationError, schema: { properties: object } | undefined): string {
  switch (error.keyword) {
    case 'required':
      return `lacks ${error.params.requiredProperties.join(', ')}`;
    case 'boolean':
      return schema === undefined
        ? 'is not a known field'
        : `is not a known field; the fields are ${Object.keys(schema.properties).join(', ')}`;
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}`;
    case 'anyOf':
      return 'has the wrong type';
    default:
      return error.message;
  }
}

function unescapePointer(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~');
}
