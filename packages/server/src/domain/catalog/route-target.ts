import type { Route } from './catalog.ts';

/** What a route needs of a provider: the engine or the backend. Workers offer these. */
export function routeTarget({ provider, settings }: Route): string {
  return `${provider}/${String(settings['engine'] ?? settings['backend'] ?? '')}`;
}

/** A worker that may run only some models of a target offers them by name. */
export function modelOffer(target: string, modelId: string): string {
  return `${target} ${modelId}`;
}

/** Whether a worker offers this route for this model. */
export function isOffered(
  route: Route,
  { modelId, offers }: { modelId: string; offers: ReadonlySet<string> },
): boolean {
  const target = routeTarget(route);
  return offers.has(target) || offers.has(modelOffer(target, modelId));
}
