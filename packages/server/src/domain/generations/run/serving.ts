import type { Catalog } from '../../catalog/catalog.ts';
import { modelOffer, routeTarget } from '../../catalog/route-target.ts';
import { findRoutes } from '../../quotes/choose-route.ts';
import type { Services } from '../../services.ts';
import { findChecksOf } from './check-content.ts';

/** Accepted generations run even if something was closed since, so only the offers decide. */
const NOTHING_CLOSED = {
  maintenance: null,
  readOnly: null,
  closedChannels: new Set<string>(),
  closedModels: new Set<string>(),
};

export interface ServingFacts {
  readonly catalog: Catalog;
  readonly offers: ReadonlySet<string>;
}

/** The current state that decides which models are served. */
export function readServingFacts(services: Pick<Services, 'catalog' | 'offers'>): ServingFacts {
  return { catalog: services.catalog(), offers: services.offers() };
}

/** Whether a worker offers what an accepted generation needs. Every worker has the simulator, so it is not offered. */
export function isServed(
  { modelId, pool }: { modelId: string; pool: string },
  { catalog, offers }: ServingFacts,
): boolean {
  if (pool === 'run-simulator') return true;
  const model = catalog.models.get(modelId);
  if (model === undefined) return false;
  return findRoutes({ model: { ...model, closed: false }, mode: 'live', switches: NOTHING_CLOSED, offers }).length > 0;
}

/** The models whose accepted generations these offers can serve. */
export function findServedModels(catalog: Catalog, offers: ReadonlySet<string>): string[] {
  return [...catalog.models.keys()].filter((modelId) => isServed({ modelId, pool: '' }, { catalog, offers }));
}

/**
 * The offers of a worker for the targets that it can run. While a required check cannot run, the models that it protects
 * are omitted and the other models of a target are offered one by one.
 */
export function findOfferedTargets(
  catalog: Catalog,
  { targets, gaps }: { targets: readonly string[]; gaps: ReadonlySet<'prompt' | 'picture'> },
): readonly string[] {
  if (gaps.size === 0) return targets;
  const able = new Set(targets);
  const offers = new Set<string>();
  for (const { entry, routes } of catalog.models.values()) {
    if ([...findChecksOf(entry)].some((check) => gaps.has(check))) continue;
    for (const route of routes) {
      const target = routeTarget(route);
      if (able.has(target)) offers.add(modelOffer(target, entry.id));
    }
  }
  return [...offers];
}
