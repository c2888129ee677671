import type { Catalog, RouteCheck } from './catalog.ts';
import { isOffered, routeTarget } from './route-target.ts';

export interface UnservedRoute {
  readonly modelId: string;
  /** Its index in the model's routes, from 0. */
  readonly index: number;
  readonly target: string;
  readonly reason: string;
  /** Whether the catalog is wrong, as opposed to a missing worker or backend. */
  readonly isCatalogError: boolean;
}

/** The routes that no provider can serve, with the reason. Pure. */
export function findUnservedRoutes({
  catalog,
  offers,
  checkRoute,
}: {
  catalog: Catalog;
  /** What the workers can run. */
  offers: ReadonlySet<string>;
  checkRoute: RouteCheck;
}): UnservedRoute[] {
  const unserved: UnservedRoute[] = [];
  for (const model of catalog.models.values()) {
    for (const [index, route] of model.routes.entries()) {
      const errors = checkRoute(route, { params: model.entry.params });
      const target = routeTarget(route);
      const found = { modelId: model.entry.id, index, target };
      if (errors.length > 0) {
        const reason = errors.map((error) => `${error.path.join('.')}: ${error.reason}`).join('; ');
        unserved.push({ ...found, reason, isCatalogError: true });
      } else if (!isOffered(route, { modelId: model.entry.id, offers })) {
        unserved.push({ ...found, reason: `no worker offers ${target}`, isCatalogError: false });
      }
    }
  }
  return unserved;
}
