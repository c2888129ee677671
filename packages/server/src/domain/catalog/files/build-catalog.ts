import type { Modality, ParamDescriptor } from '@atelier/contract';
import type { Catalog, CatalogEffect, CatalogModel, ModelEntry, RouteCheck } from '../catalog.ts';
import type { FileError } from '../catalog-error.ts';
import { computePriceFrom } from '../compute-price-from.ts';
import { checkEffect } from './check-effect.ts';
import type { EffectRecord, ModelFile, ModelRecord } from './file-schemas.ts';
import type { Source } from './parse-source.ts';
import { readAliases } from './read-aliases.ts';
import { readEffects } from './read-effects.ts';
import { readModels } from './read-models.ts';
import type { Path, Report } from './report.ts';

/** A record and its position in the file. */
export interface Placed<T> {
  readonly record: T;
  readonly at: Path;
  readonly report: Report;
}

/** Combines the files. Errors are added to the list; the catalog is valid only if there are none. */
export function buildCatalog(options: {
  version: string;
  sources: Readonly<Record<'models' | 'effects' | 'openai', readonly Source[]>>;
  /** False if a file of models could not be read: it may contain the model of an effect. */
  modelsAreWhole: boolean;
  errors: FileError[];
  checkRoute?: RouteCheck | undefined;
}): Catalog {
  const { version, sources, modelsAreWhole, errors, checkRoute } = options;
  const read = sources.models.map((source) => readModels(source, reportTo(errors, source)));
  const models = new Map<string, CatalogModel>();
  const placed = read.flatMap(({ listing, models: records }) => records.map((each) => ({ ...each, listing })));
  for (const { record, listing } of unique(placed).sort(inDisplayOrder)) {
    models.set(record.id, freeze(toCatalogModel(record, listing)));
  }
  const isWhole = modelsAreWhole && read.every(({ whole }) => whole);
  for (const { record, at, report } of placed) {
    for (const [index, { provider, ...settings }] of record.routes.entries()) {
      for (const { path, reason } of checkRoute?.({ provider, settings }, record) ?? [])
        report([...at, 'routes', index, ...path], reason);
    }
    const replacement = record.deprecation?.replacement;
    if (isWhole && typeof replacement === 'string' && !models.has(replacement)) {
      report([...at, 'deprecation', 'replacement'], `there is no model ${replacement}`);
    }
  }
  const effects = new Map<string, CatalogEffect>();
  const records = sources.effects.flatMap((source) => readEffects(source, reportTo(errors, source)));
  for (const { record, at, report } of unique(records).sort(inDisplayOrder)) {
    const model = models.get(record.modelId);
    if (model !== undefined) checkEffect({ effect: record, model, at, report });
    else if (isWhole) report([...at, 'modelId'], `there is no model ${record.modelId}`);
    effects.set(record.id, freeze(toCatalogEffect(record)));
  }
  const aliases = sources.openai.flatMap((source) =>
    readAliases(source, { models, modelsAreWhole: isWhole, report: reportTo(errors, source) }),
  );
  return { version, models, effects, aliases };
}

function reportTo(errors: FileError[], source: Source): Report {
  return (path, reason) => {
    const place = path.length === 0 ? 'the file' : path.join('.');
    errors.push({ file: source.file, line: source.lineOf(path), reason: `${place}: ${reason}` });
  };
}

function unique<T extends Placed<{ id: string }>>(placed: readonly T[]): T[] {
  const first = new Map<string, T>();
  for (const each of placed) {
    if (first.has(each.record.id)) each.report([...each.at, 'id'], `${each.record.id} is used twice`);
    else first.set(each.record.id, each);
  }
  return [...first.values()];
}

function inDisplayOrder(a: Placed<{ id: string; order: number }>, b: typeof a): number {
  return a.record.order - b.record.order || (a.record.id < b.record.id ? -1 : 1);
}

function toCatalogModel(record: ModelRecord, listing: Pick<ModelFile, 'listing' | 'vendor'>): CatalogModel {
  const entry: ModelEntry = {
    id: record.id,
    listingId: listing.listing,
    taskType: record.taskType,
    modality: record.taskType.split('.')[0] as Modality,
    workspace: record.workspace,
    vendor: listing.vendor,
    displayName: record.displayName,
    params: record.params.map(publishMinLength),
    defaults: record.defaults ?? {},
    priceFromCoins: null,
    description: record.description ?? null,
    ...(record.inputLimits === undefined ? {} : { inputLimits: record.inputLimits }),
    ...(record.deprecation === undefined ? {} : { deprecation: record.deprecation }),
    ...(record.consent === false ? {} : { consent: record.consent === true ? { when: null } : record.consent }),
  };
  const model: CatalogModel = {
    entry,
    deadlineSeconds: record.deadlineSeconds,
    price: record.price,
    expandUnit: record.expandUnit ?? null,
    routes: record.routes.map(({ provider, ...settings }) => ({ provider, settings })),
    closed: record.closed ?? false,
  };
  return { ...model, entry: { ...entry, priceFromCoins: computePriceFrom(model) } };
}

/** An empty text counts as missing, so a required one has at least one character; the descriptor tells clients. */
function publishMinLength(descriptor: ParamDescriptor): ParamDescriptor {
  return descriptor.kind === 'text' && descriptor.required ? { minLength: 1, ...descriptor } : descriptor;
}

function toCatalogEffect(record: EffectRecord): CatalogEffect {
  const {
    id,
    kind,
    category,
    input,
    modelId,
    thumbnail = null,
    surchargeCoins = 0,
    prompt = null,
    settings = {},
  } = record;
  return {
    entry: { id, kind, category, nameKey: `effects.${id}.name`, thumbnail, input, modelId },
    surchargeCoins,
    settings,
    prompt,
  };
}

function freeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member);
  return value;
}
