import type { ParamDescriptor, ParamName, ParamValues } from '@atelier/contract';
import { judgeParam } from '../judge-param.ts';
import { measuredParam, type PriceLine, type PriceRule } from '../price-rule.ts';
import type { Path, Report } from './report.ts';

interface Judged {
  readonly line: PriceLine;
  readonly params: ReadonlyMap<ParamName, ParamDescriptor>;
  readonly defaults: ParamValues;
  readonly at: Path;
  readonly report: Report;
}

/** Checks that every line of a price can be computed from a request. */
export function checkPriceRule(options: {
  price: PriceRule;
  params: ReadonlyMap<ParamName, ParamDescriptor>;
  defaults: ParamValues;
  at: Path;
  report: Report;
}): void {
  const { price, at, ...rest } = options;
  for (const [index, line] of (price.lines ?? []).entries()) {
    const judged = { ...rest, line, at: [...at, 'lines', index] };
    checkCondition(judged);
    checkMeasure(judged);
  }
}

function checkCondition({ line, params, at, report }: Judged): void {
  for (const [name, wanted] of Object.entries(line.when ?? {})) {
    const place = [...at, 'when', name];
    const descriptor = params.get(name as ParamName);
    if (descriptor === undefined) {
      report(place, 'is not a param of this model');
      continue;
    }
    if (descriptor.kind !== 'enum' && descriptor.kind !== 'range') {
      report(place, 'a price may depend on params of kind enum and range only');
      continue;
    }
    for (const value of [wanted].flat()) {
      for (const { message } of judgeParam({ descriptor, value, path: name })) report(place, message);
    }
  }
}

function checkMeasure({ line, params, defaults, at, report }: Judged): void {
  const { per = 'output', megapixels } = line;
  if (per === 'output') {
    for (const name of ['of', 'minimum', 'megapixels'] as const) {
      if (line[name] !== undefined) report([...at, name], 'needs a unit to measure: set per');
    }
    return;
  }
  if (megapixels !== undefined && per !== 'megapixel') report([...at, 'megapixels'], 'belongs to lines per megapixel');
  const reason = refuseMeasure({ line, params, defaults });
  if (reason !== null) report(line.of === undefined ? at : [...at, 'of'], reason);
}

function refuseMeasure({ line, params, defaults }: Pick<Judged, 'line' | 'params' | 'defaults'>): string | null {
  const name = measuredParam(line);
  if (name === undefined) return `lacks of: the param that is measured per ${line.per}`;
  const descriptor = params.get(name);
  if (descriptor === undefined) return `${name} is not a param of this model`;
  const misfit = refuseUnit(line, descriptor);
  if (misfit !== null) return misfit;
  const isChosen = descriptor.kind === 'enum' || descriptor.kind === 'range';
  const isAlwaysSet = descriptor.required || defaults[name] !== undefined;
  return isChosen && !isAlwaysSet ? `${name} must be required or have a default, else leaving it out is free` : null;
}

function refuseUnit({ per, megapixels }: PriceLine, descriptor: ParamDescriptor): string | null {
  const { name, kind } = descriptor;
  if (per === 'thousand_characters') return kind === 'text' ? null : `${name} is not a text`;
  const accept = kind === 'media' || kind === 'media_list' ? descriptor.accept : null;
  if (per === 'second') {
    if (accept !== null) return accept === 'image' ? `${name} has no seconds` : null;
    const isNumber =
      kind === 'range' || (kind === 'enum' && descriptor.values.every((each) => typeof each === 'number'));
    return isNumber ? null : `${name} is not a number of seconds`;
  }
  if (accept !== null) return accept === 'audio' ? `${name} has no pixels` : null;
  if (kind !== 'enum' || megapixels === undefined) return `${name} needs a table megapixels for each of its values`;
  const absent = descriptor.values.filter((value) => megapixels[String(value)] === undefined);
  return absent.length === 0 ? null : `megapixels has no row for ${absent.join(', ')}`;
}
