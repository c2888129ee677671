import type { Availability } from '@atelier/contract';
import type { RunPool } from '../../queue/queues.ts';
import type { AccountMode } from '../accounts/caller.ts';
import { isSunset, judgeAvailability } from '../catalog/availability.ts';
import type { CatalogModel } from '../catalog/catalog.ts';
import { isOffered, routeTarget } from '../catalog/route-target.ts';
import type { Switches } from '../operator/switch-board.ts';

export interface ChosenRoute {
  readonly provider: string;
  readonly target: string;
  readonly pool: RunPool;
  readonly settings: Readonly<Record<string, unknown>>;
}

interface RouteOptions {
  readonly model: CatalogModel;
  readonly mode: AccountMode;
  readonly switches: Switches;
  /** What the workers can run now; if omitted, offers are not checked. */
  readonly offers?: ReadonlySet<string>;
  /** The time of a new request; requests accepted before a model's sunset still run after it. */
  readonly at?: Date;
}

const SIMULATOR: ChosenRoute = { provider: 'simulator', target: 'simulator/', pool: 'run-simulator', settings: {} };

/** The routes that can serve a request, preferred first. Test accounts use only the simulator. */
export function findRoutes({ model, mode, switches, offers, at }: RouteOptions): ChosenRoute[] {
  if (model.closed || switches.closedModels.has(model.entry.id) || isSunset(model, at)) return [];
  if (mode === 'test') return [SIMULATOR];
  const modelId = model.entry.id;
  return model.routes
    .filter(
      (route) => route.provider !== 'simulator' && (offers === undefined || isOffered(route, { modelId, offers })),
    )
    .map((route) => ({
      provider: route.provider,
      target: routeTarget(route),
      pool: route.provider === 'local' ? 'run-local' : 'run-remote',
      settings: route.settings,
    }));
}

/** Whether the account may use the model now, and if not, why. */
export function describeAvailability({ model, mode, switches, offers }: RouteOptions): Availability {
  return judgeAvailability(model, {
    closedModelIds: switches.closedModels,
    // The simulator serves every model.
    offers: mode === 'test' ? undefined : offers,
  });
}

/** The route of a request. Null: the model is closed. */
export function chooseRoute(options: RouteOptions): ChosenRoute | null {
  return findRoutes(options)[0] ?? null;
}
