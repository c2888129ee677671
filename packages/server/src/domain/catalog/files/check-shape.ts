import type { TLocalizedValidationError } from 'typebox/error';
import type { Path, Report } from './report.ts';

interface Shape {
  Check(value: unknown): boolean;
  Errors(value: unknown): TLocalizedValidationError[];
}

const MAX_CHOICES_TOLD = 12;

/** False when the value has another shape; every fault is reported with its place. */
export function checkShape(options: { shape: Shape; value: unknown; at: Path; report: Report }): boolean {
  const { shape, value, at, report } = options;
  if (shape.Check(value)) return true;
  let reported = 0;
  for (const error of shape.Errors(value)) {
    // The branches of a choice say little, so only the choice itself is reported. An unknown field is reported at the field.
    if (error.schemaPath.includes('/anyOf/') || error.keyword === 'additionalProperties') continue;
    reported += 1;
    report([...at, ...error.instancePath.split('/').slice(1).map(unescapePointer)], describe(error));
  }
  if (reported === 0) report(at, 'has a value of the wrong type');
  return false;
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
      return error.params.allowedValues.length > MAX_CHOICES_TOLD
        ? 'is not a known value'
        : `must be one of ${error.params.allowedValues.join(', ')}`;
    default:
      return error.message;
  }
}

function unescapePointer(part: string): string | number {
  if (/^\d+$/.test(part)) return Number(part);
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
