import type { ParamValues } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import type { Caller } from '../accounts/caller.ts';
import { findInputFacts, type InputFacts } from '../assets/find-assets.ts';
import type { Catalog, CatalogEffect, CatalogModel } from '../catalog/catalog.ts';
import { checkInputs, findMissingUploads } from '../catalog/check-inputs.ts';
import { judgeParams, type MediaRef, refuseParams } from '../catalog/check-params.ts';
import { findModel } from '../catalog/list-models.ts';
import { type Price, priceRequest } from '../catalog/price-request.ts';
import type { Services } from '../services.ts';

export interface PricedRequest {
  readonly modelId: string;
  readonly params: ParamValues;
  readonly effectId?: string | undefined;
  readonly draft: boolean;
}

export interface Judged {
  readonly catalog: Catalog;
  readonly model: CatalogModel;
  readonly effect: CatalogEffect | null;
  readonly effective: ParamValues;
  readonly media: readonly MediaRef[];
  readonly inputs: ReadonlyMap<string, InputFacts>;
  readonly price: Price;
}

/** The check that quote and submit share: known model, valid params, matching inputs, and the price. */
export async function judgeRequest(
  services: Pick<Services, 'db' | 'catalog' | 'clock'>,
  caller: Pick<Caller, 'accountId'>,
  request: PricedRequest,
): Promise<Judged> {
  const catalog = services.catalog();
  const model = findModel(catalog, { id: request.modelId, at: services.clock.now() });
  const effect = findEffect(catalog, request);
  const { draft } = request;
  const { issues, effective, media } = judgeParams({ model, effect, params: request.params, draft });
  const ids = media.flatMap((ref) => ref.ids);
  const inputs = await findInputFacts(services, { accountId: caller.accountId, ids });
  // Together with missing uploads, so that one response lists all errors of the params.
  if (issues.length > 0)
    refuseParams([...issues, ...(draft ? [] : findMissingUploads({ model, media, found: inputs }))]);
  checkInputs({ model, media, found: inputs, draft });
  const price = priceRequest({ model, effect, params: effective, found: inputs });
  return { catalog, model, effect, effective, media, inputs, price };
}

function findEffect(catalog: Catalog, request: PricedRequest): CatalogEffect | null {
  if (request.effectId === undefined) return null;
  const effect = catalog.effects.get(request.effectId);
  if (effect === undefined) throw new Problem('not_found', `There is no effect ${request.effectId}.`);
  if (effect.entry.modelId !== request.modelId) {
    throw new Problem('invalid_params', `The effect ${request.effectId} runs on the model ${effect.entry.modelId}.`, {
      issues: [{ path: 'effectId', message: `belongs to the model ${effect.entry.modelId}` }],
    });
  }
  return effect;
}
