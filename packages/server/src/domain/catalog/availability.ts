import type { Availability, ClosedReason } from '@atelier/contract';
import type { CatalogModel } from './catalog.ts';
import { isOffered } from './route-target.ts';

export interface Openness {
  readonly closedModelIds: ReadonlySet<string>;
  /** What the workers can run; if omitted, offers are not checked. */
  readonly offers?: ReadonlySet<string> | undefined;
  /** Lists models that no worker serves too: test accounts can use them. */
  readonly listsUnserved?: boolean;
  readonly at?: Date;
}

/** Texts for people. They name no worker, backend or file. */
export const CLOSED_REASON_TEXT: Readonly<Record<ClosedReason, string>> = {
  operator: 'the operator has closed it',
  no_worker: 'no worker serves it at the moment',
};

/** Whether a model accepts requests, and if not, why. A model past its sunset is unknown rather than closed: see isSunset. */
export function judgeAvailability(
  model: CatalogModel,
  { closedModelIds, offers }: Pick<Openness, 'closedModelIds' | 'offers'>,
): Availability {
  if (model.closed || closedModelIds.has(model.entry.id)) return { state: 'closed', reason: 'operator' };
  const modelId = model.entry.id;
  if (offers !== undefined && !model.routes.some((route) => isOffered(route, { modelId, offers }))) {
    return { state: 'closed', reason: 'no_worker' };
  }
  return { state: 'open', reason: null };
}

/** Whether a model is in the list: a worker offers it, and neither its file, the operator's switch nor its sunset closed it. */
export function isListed(model: CatalogModel, openness: Openness): boolean {
  const { state, reason } = judgeAvailability(model, openness);
  const isUnserved = reason === 'no_worker' && openness.listsUnserved === true;
  return !isSunset(model, openness.at) && (state === 'open' || isUnserved);
}

export function isSunset(model: CatalogModel, at: Date | undefined): boolean {
  const sunsetAt = model.entry.deprecation?.sunsetAt;
  return at !== undefined && sunsetAt !== undefined && at.getTime() >= Date.parse(sunsetAt);
}
