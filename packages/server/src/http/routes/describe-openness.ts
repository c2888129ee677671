import { isSunset, type Openness } from '../../domain/catalog/availability.ts';
import type { Services } from '../../domain/services.ts';

/** What decides which models are listed now, with a name that changes when it does. */
export function describeOpenness(
  services: Pick<Services, 'switches' | 'offers' | 'listsEveryModel' | 'clock' | 'catalog'>,
): Openness & { readonly version: string } {
  const { closedModels } = services.switches.current();
  const offers = services.listsEveryModel ? undefined : services.offers();
  const at = services.clock.now();
  const sunset = [...services.catalog().models.values()].filter((model) => isSunset(model, at));
  const names = [closedModels, offers ?? [], sunset.map(({ entry }) => entry.id)];
  return {
    closedModelIds: closedModels,
    offers,
    at,
    version: names.map((each) => [...each].sort().join(',')).join(';'),
  };
}
