import type { CatalogModel } from '../../catalog/catalog.ts';
import { isOffered, routeTarget } from '../../catalog/route-target.ts';
import type { Services } from '../../services.ts';
import { isServed, readServingFacts } from '../run/serving.ts';
import { findModelUse, type ModelUse } from './operate.store.ts';
import { type Costs, costOfOutput, deliveredBy } from './route-costs.ts';

/** How many of the newest generations count. */
export const SAMPLED = 20_000;

export interface ModelMargin {
  readonly model: CatalogModel;
  readonly closedBy: 'catalog' | 'switch' | null;
  readonly served: boolean;
  readonly generations: number;
  readonly capturedCoins: number;
  /** Null unless every route that delivered has a cost. */
  readonly costCoins: number | null;
  readonly routes: ReadonlyArray<{ target: string; offered: boolean; costCoins: number | null; outputs: number }>;
}

/** The models with what recent generations of live accounts earned and cost. */
export async function listModelMargins(
  services: Pick<Services, 'db' | 'catalog' | 'switches' | 'offers'>,
): Promise<ModelMargin[]> {
  const uses = Map.groupBy(await findModelUse(services.db, SAMPLED), ({ modelId }) => modelId);
  const facts = readServingFacts(services);
  const { closedModels, costs } = services.switches.current();
  return [...facts.catalog.models.values()].map((model) => {
    const { id } = model.entry;
    return {
      model,
      closedBy: model.closed ? 'catalog' : closedModels.has(id) ? 'switch' : null,
      served: isServed({ modelId: id, pool: '' }, facts),
      ...computeMargin(model, { uses: uses.get(id) ?? [], costs: costs?.get(id) ?? {}, offers: facts.offers }),
    };
  });
}

function computeMargin(
  model: CatalogModel,
  { uses, costs, offers }: { uses: readonly ModelUse[]; costs: Costs; offers: ReadonlySet<string> },
): Pick<ModelMargin, 'generations' | 'capturedCoins' | 'costCoins' | 'routes'> {
  const spent = uses.map(({ target, outputs }) => {
    const cost = costOfOutput(model, { target, costs });
    return cost === null ? null : cost * outputs;
  });
  return {
    generations: sum(uses.map(({ generations }) => generations)),
    capturedCoins: sum(uses.map(({ capturedCoins }) => capturedCoins)),
    costCoins: spent.length === 0 || spent.includes(null) ? null : sum(spent as number[]),
    routes: model.routes.map((route) => {
      const target = routeTarget(route);
      return {
        target,
        offered: isOffered(route, { modelId: model.entry.id, offers }),
        costCoins: costs[target] ?? null,
        outputs: sum(uses.filter((use) => deliveredBy(model, use.target) === target).map(({ outputs }) => outputs)),
      };
    }),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
