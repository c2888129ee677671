import type { RunPool } from '../../engine/queues.ts';
import type { AccountMode } from '../accounts/caller.ts';
import type { CatalogModel } from '../catalog/catalog.ts';
import type { Switches } from '../operator/switch-board.ts';

export interface ChosenRoute {
  readonly provider: string;
  readonly pool: RunPool;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Who serves a request. Test accounts reach the simulator and nothing else; live ones the model's first route that this
 * installation has. Null: the model is closed just now.
 */
export function chooseRoute(options: {
  model: CatalogModel;
  mode: AccountMode;
  switches: Switches;
  liveProviders: ReadonlySet<string>;
}): ChosenRoute | null {
  const { model } = options;
  if (model.closed || options.switches.closedModels.has(model.entry.id)) return null;
  if (options.mode === 'test') return { provider: 'simulator', pool: 'run-simulator', settings: {} };
  const route = model.routes.find((each) => options.liveProviders.has(each.provider));
  if (route === undefined) return null;
  return {
    provider: route.provider,
    pool: route.provider === 'local' ? 'run-local' : 'run-remote',
    settings: route.settings,
  };
}
