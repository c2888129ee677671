import { checkShape } from './check-shape.ts';
import { type EffectFile, type EffectRecord, effectFileShape, effectShape, inputShapes } from './file-schemas.ts';
import type { Source } from './parse-source.ts';
import type { Path, Report } from './report.ts';

/** The well-formed effects of one file; errors are reported. */
export function readEffects(source: Source, report: Report): { record: EffectRecord; at: Path; report: Report }[] {
  const { value } = source;
  if (!checkShape({ shape: effectFileShape, value, at: [], report })) return [];
  return (value as EffectFile).effects.flatMap((record, index) => {
    const at = ['effects', index];
    return hasShape({ record, at, report }) ? [{ record, at, report }] : [];
  });
}

function hasShape({ record, at, report }: { record: EffectRecord; at: Path; report: Report }): boolean {
  if (!checkShape({ shape: effectShape, value: record, at, report })) return false;
  const place = [...at, 'input'];
  const shape = inputShapes.get(String((record.input as { type?: unknown } | null)?.type));
  if (shape !== undefined) return checkShape({ shape, value: record.input, at: place, report });
  report([...place, 'type'], `must be one of ${[...inputShapes.keys()].join(', ')}`);
  return false;
}
