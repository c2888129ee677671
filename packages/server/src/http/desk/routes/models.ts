import type { DeskModel, DeskModelDetail } from '@atelier/contract/desk';
import { listModelMargins, type ModelMargin, SAMPLED } from '../../../domain/generations/operate/list-model-margins.ts';
import { requireModel, requirePrice, tryPrice } from '../../../domain/generations/operate/try-price.ts';
import { type Switch, setSwitch } from '../../../domain/operator/set-switch.ts';
import { withTx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import type { DeskInput, DeskRoutes, DeskServices } from '../desk-handler.ts';

type Change = DeskInput<'publishPrice' | 'setCosts' | 'closeModel'>;

export const modelRoutes: DeskRoutes<
  'listDeskModels' | 'getDeskModel' | 'tryPrice' | 'publishPrice' | 'setCosts' | 'closeModel'
> = {
  listDeskModels: async (services) => ({ items: (await listModelMargins(services)).map(showModel), sampled: SAMPLED }),
  getDeskModel: (services, { params: { modelId } }) => showDetail(services, modelId),

  tryPrice: async (services, { params: { modelId }, body }) => {
    const costs = services.switches.current().costs?.get(modelId) ?? {};
    const { since, largest, ...tried } = await tryPrice(services, { modelId, costs, ...body });
    return { ...tried, since: since?.toISOString() ?? null, largest: [...largest] };
  },
  publishPrice: async (services, input) => {
    const { price } = input.body;
    if (price !== null) requirePrice(requireModel(services.catalog(), input.params.modelId), price);
    return change(services, input, { kind: 'price', modelId: input.params.modelId, price });
  },
  setCosts: (services, input) =>
    change(services, input, { kind: 'costs', modelId: input.params.modelId, costs: input.body.costs }),
  closeModel: (services, input) =>
    change(services, input, { kind: 'model', modelId: input.params.modelId, closed: input.body.closed }),
};

/** Of a model in the catalog: for a misspelt id it would report success and change nothing. */
async function change(
  services: DeskServices,
  { actor, params: { modelId }, body: { reason } }: Pick<Change, 'actor' | 'params' | 'body'>,
  to: Switch,
): Promise<DeskModelDetail> {
  requireModel(services.catalog(), modelId);
  await withTx(services.db, (tx) => setSwitch(tx, to, actor, reason));
  await services.switches.refresh();
  return showDetail(services, modelId);
}

async function showDetail(services: DeskServices, modelId: string): Promise<DeskModelDetail> {
  const found = (await listModelMargins(services)).find(({ model }) => model.entry.id === modelId);
  if (found === undefined) throw new Problem('not_found', `There is no model ${modelId}.`);
  const { model, routes } = found;
  return {
    ...showModel(found),
    price: model.price,
    catalogPrice: model.filePrice ?? model.price,
    params: model.entry.params.map(({ name }) => name),
    routes: [...routes],
  };
}

function showModel({ model, routes: _routes, ...margin }: ModelMargin): DeskModel {
  const { id, displayName, priceFromCoins } = model.entry;
  return { id, name: displayName, priceFrom: priceFromCoins, pricedHere: model.filePrice !== undefined, ...margin };
}
