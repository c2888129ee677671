import type { Catalog } from '../../catalog/catalog.ts';
import { modelOffer, routeTarget } from '../../catalog/route-target.ts';
import { findChecksOf } from './check-content.ts';

/**
 * What a worker offers of the targets that it can run. While a required check cannot run, the models that it protects are
 * left out: the others of the same target are offered one by one.
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
