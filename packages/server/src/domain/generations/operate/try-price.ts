import { invalidParams, Problem } from '../../../platform/problem.ts';
import type { AccountMode } from '../../accounts/caller.ts';
import { findInputFacts, type InputFacts } from '../../assets/find-assets.ts';
import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';
import { priceRequest } from '../../catalog/price-request.ts';
import type { PriceRule } from '../../catalog/price-rule.ts';
import { findPriceErrors, withPrice } from '../../catalog/priced-catalog.ts';
import type { Services } from '../../services.ts';
import { findPastGenerations, type PastGeneration } from './operate.store.ts';
import { type Costs, costOfOutput } from './route-costs.ts';

/** More would take too long; a model that is rarely used has fewer generations among them. */
const SCANNED = 50_000;
const MAX_SHOWN = 5;

export interface PriceTrial {
  readonly generations: number;
  /** Their effect or inputs are gone. */
  readonly skipped: number;
  readonly since: Date | null;
  readonly capturedCoins: number;
  readonly newCoins: number;
  /** Null unless every route that delivered has a cost. */
  readonly costCoins: number | null;
  readonly dearer: number;
  readonly cheaper: number;
  readonly unchanged: number;
  /** How many accounts would pay another price. */
  readonly accounts: number;
  readonly largest: ReadonlyArray<{ generationId: string; capturedCoins: number; newCoins: number }>;
}

export function requireModel(catalog: Catalog, modelId: string): CatalogModel {
  const model = catalog.models.get(modelId);
  if (model === undefined) throw new Problem('not_found', `There is no model ${modelId}.`);
  return model;
}

/** Refuses a price that cannot be computed for every request of the model. */
export function requirePrice(model: CatalogModel, price: PriceRule): void {
  const errors = findPriceErrors(model, price);
  if (errors.length > 0) throw invalidParams('The price is not valid', errors);
}

/** What the newest generations of a model would have been charged with another price. Changes nothing. */
export async function tryPrice(
  services: Pick<Services, 'db' | 'catalog'>,
  options: { modelId: string; price: PriceRule; mode: AccountMode; last: number; costs: Costs },
): Promise<PriceTrial> {
  const catalog = services.catalog();
  const current = requireModel(catalog, options.modelId);
  requirePrice(current, options.price);
  const model = withPrice(current, options.price);
  const { modelId, mode, last } = options;
  const past = await findPastGenerations(services.db, { modelId, mode, last, scanned: SCANNED });
  const inputs = await findInputs(services, past);
  const priced = past.flatMap((generation) => {
    const newCoins = priceAgain({ catalog, model, generation, found: inputs.get(generation.accountId) });
    return newCoins === null ? [] : [{ ...generation, newCoins }];
  });
  const changed = priced.filter(({ coinsCharged, newCoins }) => coinsCharged !== newCoins);
  const costs = priced.map((each) => {
    const cost = costOfOutput(model, { target: each.target, costs: options.costs });
    return cost === null ? null : cost * outputsOf(each);
  });
  return {
    generations: priced.length,
    skipped: past.length - priced.length,
    since: priced.at(-1)?.createdAt ?? null,
    capturedCoins: sum(priced.map(({ coinsCharged }) => coinsCharged)),
    newCoins: sum(priced.map(({ newCoins }) => newCoins)),
    costCoins: costs.length === 0 || costs.includes(null) ? null : sum(costs as number[]),
    dearer: changed.filter(({ coinsCharged, newCoins }) => newCoins > coinsCharged).length,
    cheaper: changed.filter(({ coinsCharged, newCoins }) => newCoins < coinsCharged).length,
    unchanged: priced.length - changed.length,
    accounts: new Set(changed.map(({ accountId }) => accountId)).size,
    largest: changed
      .toSorted((a, b) => Math.abs(b.newCoins - b.coinsCharged) - Math.abs(a.newCoins - a.coinsCharged))
      .slice(0, MAX_SHOWN)
      .map(({ id, coinsCharged, newCoins }) => ({ generationId: id, capturedCoins: coinsCharged, newCoins })),
  };
}

type Facts = ReadonlyMap<string, InputFacts>;

/** The inputs by account: each is read under its own. */
async function findInputs(
  services: Pick<Services, 'db'>,
  past: readonly PastGeneration[],
): Promise<ReadonlyMap<string, Facts>> {
  const ids = new Map<string, Set<string>>();
  for (const generation of past) {
    const known = ids.get(generation.accountId) ?? new Set<string>();
    for (const id of mediaOf(generation)) known.add(id);
    ids.set(generation.accountId, known);
  }
  const found = new Map<string, Facts>();
  for (const [accountId, wanted] of ids)
    found.set(accountId, await findInputFacts(services, { accountId, ids: [...wanted] }));
  return found;
}

const mediaOf = ({ inputs }: PastGeneration): string[] => Object.values(inputs).flat();

/** Charged for the outputs that were delivered, as then. Null if it cannot be priced any more. */
function priceAgain(options: {
  catalog: Catalog;
  model: CatalogModel;
  generation: PastGeneration;
  found: Facts | undefined;
}): number | null {
  const { catalog, model, generation, found = new Map() } = options;
  const effect = generation.effectId === null ? null : (catalog.effects.get(generation.effectId) ?? null);
  if (generation.effectId !== null && effect === null) return null;
  if (mediaOf(generation).some((id) => !found.has(id))) return null;
  const { coinsPerOutput } = priceRequest({ model, effect, params: generation.params, found });
  return coinsPerOutput * outputsOf(generation);
}

const outputsOf = ({ coinsCharged, coinsPerOutput }: PastGeneration) => coinsCharged / coinsPerOutput;
const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
