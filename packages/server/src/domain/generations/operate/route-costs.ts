import type { CatalogModel } from '../../catalog/catalog.ts';
import { routeTarget } from '../../catalog/route-target.ts';

/** What an output costs the operator, in coins by target. */
export type Costs = Readonly<Record<string, number>>;

/** The target that delivered. Only remote runs record it, so a run without one was local. */
export function deliveredBy(model: Pick<CatalogModel, 'routes'>, target: string | null): string | null {
  if (target !== null) return target;
  const local = model.routes.find(({ provider }) => provider === 'local');
  return local === undefined ? null : routeTarget(local);
}

/** Null if no cost was entered for the route that delivered. */
export function costOfOutput(
  model: Pick<CatalogModel, 'routes'>,
  { target, costs }: { target: string | null; costs: Costs },
): number | null {
  const found = deliveredBy(model, target);
  return found === null ? null : (costs[found] ?? null);
}
