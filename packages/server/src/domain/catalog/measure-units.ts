import type { ParamDescriptor, ParamValue, ParamValues } from '@atelier/contract';
import { countCodePoints } from '../../platform/text.ts';
import type { CatalogModel } from './catalog.ts';
import type { InputFacts } from './check-inputs.ts';
import { measuredParam, type PriceLine } from './price-rule.ts';

export type Unit = Exclude<NonNullable<PriceLine['per']>, 'output'>;

/** A number of units; `unknown`: not in the request yet; `none`: the optional param is omitted. */
export type Measure = number | 'unknown' | 'none';

const PIXELS_PER_MEGAPIXEL = 1_000_000;
const CHARACTERS_PER_UNIT = 1_000;

/** The number of units that the request uses of a measured line. */
export function measureUnits(options: {
  line: PriceLine & { per: Unit };
  model: CatalogModel;
  params: ParamValues;
  found: ReadonlyMap<string, InputFacts>;
}): Measure {
  const { line, model, params, found } = options;
  const descriptor = model.entry.params.find(({ name }) => name === measuredParam(line));
  if (descriptor === undefined) return 'unknown';
  const value = params[descriptor.name];
  if (value === undefined) return descriptor.required ? 'unknown' : 'none';
  if (descriptor.kind === 'media' || descriptor.kind === 'media_list') {
    const ids = Array.isArray(value) ? value : [String(value)];
    return ids.length === 0 ? 'none' : sum(ids.map((id) => measureMedia(line.per, found.get(id))));
  }
  return measureValue({ line, descriptor, value });
}

function measureMedia(per: Unit, facts: InputFacts | undefined): number | null {
  if (facts === undefined) return null;
  if (per === 'second') return facts.durationSeconds;
  if (facts.width === null || facts.height === null) return null;
  return (facts.width * facts.height) / PIXELS_PER_MEGAPIXEL;
}

function measureValue(options: { line: PriceLine; descriptor: ParamDescriptor; value: ParamValue }): Measure {
  const { line, descriptor, value } = options;
  if (line.per === 'megapixel') return line.megapixels?.[String(value)] ?? 'unknown';
  if (descriptor.kind === 'text') return countCodePoints(String(value)) / CHARACTERS_PER_UNIT;
  return typeof value === 'number' ? value : 'unknown';
}

function sum(parts: readonly (number | null)[]): Measure {
  let total = 0;
  for (const part of parts) {
    if (part === null) return 'unknown';
    total += part;
  }
  return total;
}
