import { type CompiledSchema, listSchemaErrors } from '../../../platform/schema-errors.ts';
import type { Path, Report } from './report.ts';

/** False if the value does not match the schema; every error is reported with its position. */
export function checkShape(options: { shape: CompiledSchema; value: unknown; at: Path; report: Report }): boolean {
  const { shape, value, at, report } = options;
  const errors = listSchemaErrors(shape, value);
  if (errors.length === 0) return true;
  // The error of the union is clearer than those of its branches.
  const shown = errors.filter(({ isBranch }) => !isBranch);
  for (const { path, message } of shown) report([...at, ...path], message);
  if (shown.length === 0) report(at, 'has a value of the wrong type');
  return false;
}
