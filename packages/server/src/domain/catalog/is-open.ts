import type { CatalogModel } from './catalog.ts';
import { isOffered } from './route-target.ts';

export interface Openness {
  readonly closedModelIds: ReadonlySet<string>;
  /** What the workers can run just now; without it, who would serve the model is not asked. */
  readonly offers?: ReadonlySet<string> | undefined;
  readonly at?: Date;
}

/** Whether a model takes requests: someone offers it, and neither its file, the operator's switch nor its sunset closed it. */
export function isOpen(model: CatalogModel, { closedModelIds, offers, at }: Openness): boolean {
  if (model.closed || closedModelIds.has(model.entry.id)) return false;
  const modelId = model.entry.id;
  if (offers !== undefined && !model.routes.some((route) => isOffered(route, { modelId, offers }))) return false;
  return !isSunset(model, at);
}

/** Whether a model's last day is over. Without a time nobody asks. */
export function isSunset(model: CatalogModel, at: Date | undefined): boolean {
  const sunsetAt = model.entry.deprecation?.sunsetAt;
  return at !== undefined && sunsetAt !== undefined && at.getTime() >= Date.parse(sunsetAt);
}
