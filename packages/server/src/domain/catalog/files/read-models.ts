import { checkModel } from './check-model.ts';
import { checkShape } from './check-shape.ts';
import { descriptorShapes, type ModelFile, type ModelRecord, modelFileShape, modelShape } from './file-schemas.ts';
import type { Source } from './parse-source.ts';
import type { Path, Report } from './report.ts';

export interface ReadModels {
  readonly listing: Pick<ModelFile, 'listing' | 'vendor'>;
  readonly models: readonly { record: ModelRecord; at: Path; report: Report }[];
  /** False if a malformed model was omitted. */
  readonly whole: boolean;
}

/** The well-formed models of one file; errors are reported. */
export function readModels(source: Source, report: Report): ReadModels {
  const { value } = source;
  const none = { listing: { listing: '', vendor: '' }, models: [], whole: false };
  if (!checkShape({ shape: modelFileShape, value, at: [], report })) return none;
  const file = value as ModelFile;
  const models = file.models.flatMap((record, index) => {
    const at = ['models', index];
    if (!hasShape({ record, at, report })) return [];
    checkModel({ model: record, at, report });
    return [{ record, at, report }];
  });
  return { listing: file, models, whole: models.length === file.models.length };
}

function hasShape({ record, at, report }: { record: ModelRecord; at: Path; report: Report }): boolean {
  if (!checkShape({ shape: modelShape, value: record, at, report })) return false;
  const checked = record.params.map((descriptor: unknown, index) => {
    const place = [...at, 'params', index];
    const kind = (descriptor as { kind?: unknown } | null)?.kind;
    const shape = descriptorShapes.get(String(kind));
    if (shape !== undefined) return checkShape({ shape, value: descriptor, at: place, report });
    report([...place, 'kind'], `must be one of ${[...descriptorShapes.keys()].join(', ')}`);
    return false;
  });
  return checked.every(Boolean);
}
