import type { TLocalizedValidationError } from 'typebox/error';

/** A compiled TypeBox schema. */
export interface CompiledSchema {
  Check(value: unknown): boolean;
  Errors(value: unknown): TLocalizedValidationError[];
}

export interface SchemaError {
  /** Where in the value, outermost first. List positions are numbers. */
  readonly path: readonly (string | number)[];
  /** What is wrong there, as the end of a sentence that starts with the path. */
  readonly message: string;
  /** Required members that are missing at `path`. */
  readonly missing: readonly string[];
  readonly isUnknownField: boolean;
  /** The error of one branch of a union; the union has its own error. */
  readonly isBranch: boolean;
}

const MAX_CHOICES = 12;

/** The errors of a value in terms that a person understands; none when the value matches. */
export function listSchemaErrors(schema: CompiledSchema, value: unknown): SchemaError[] {
  if (schema.Check(value)) return [];
  return (
    schema
      .Errors(value)
      // Each unknown field also has its own error.
      .filter(({ keyword }) => keyword !== 'additionalProperties')
      .map((error) => ({
        path: error.instancePath.split('/').slice(1).map(unescapePointer),
        message: describe(error),
        missing: error.keyword === 'required' ? error.params.requiredProperties : [],
        // An unknown field is checked against the schema `false`.
        isUnknownField: error.keyword === 'boolean',
        isBranch: error.schemaPath.includes('/anyOf/'),
      }))
  );
}

function describe(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'required':
      return `lacks ${error.params.requiredProperties.join(', ')}`;
    case 'boolean':
      return 'is not a known field';
    case 'anyOf':
      return 'has the wrong type';
    case 'enum':
      return error.params.allowedValues.length > MAX_CHOICES
        ? 'is not a known value'
        : `must be one of ${error.params.allowedValues.join(', ')}`;
    default:
      return error.message;
  }
}

function unescapePointer(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~');
}
