import type { Route } from './catalog.ts';

/** What of a provider a route needs: the engine or the backend. Workers offer these. */
export function routeTarget({ provider, settings }: Route): string {
  return `${provider}/${String(settings['engine'] ?? settings['backend'] ?? '')}`;
}
