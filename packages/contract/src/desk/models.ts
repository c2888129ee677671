import Type, { type Static } from 'typebox';
import { Closed, Natural, Nullable } from '../building-blocks.ts';
import { MODES } from '../console/session.ts';
import { Reason } from './accounts.ts';
import { PriceRule } from './price-rule.ts';

export const MAX_TRIED = 1_000;
const MAX_COST_COINS = 1_000_000;

export const ModelRoute = Type.Object({
  target: Type.String({ description: 'The engine or backend, such as `local/modnet`.' }),
  offered: Type.Boolean({ description: 'A worker can serve it now.' }),
  costCoins: Nullable(
    Type.Number({
      minimum: 0,
      description: 'What one output costs you, in coins, as entered here; null if not entered.',
    }),
  ),
  outputs: Natural('Outputs delivered by this route, of the recent generations.'),
});

export const DeskModel = Type.Object({
  id: Type.String(),
  name: Type.String(),
  closedBy: Nullable(Type.Enum(['catalog', 'switch'], { description: 'Null if it is open.' })),
  served: Type.Boolean({ description: 'A worker offers one of its routes.' }),
  priceFrom: Nullable(Natural('The price of a request that sets only the prompt.')),
  pricedHere: Type.Boolean({ description: 'The price was changed here; it differs from the catalog file.' }),
  generations: Natural('Of live accounts, among the recent generations.'),
  capturedCoins: Natural(),
  costCoins: Nullable(Type.Number({ description: 'Null unless every route that delivered has a cost.' })),
});
export type DeskModel = Static<typeof DeskModel>;

export const DeskModelList = Type.Object({
  items: Type.Array(DeskModel),
  sampled: Natural('How many recent generations of all models were read.'),
});

export const DeskModelDetail = Type.Object({
  ...DeskModel.properties,
  price: PriceRule,
  catalogPrice: PriceRule,
  params: Type.Array(Type.String(), { description: 'The names of its params, for `of` and `when` of a line.' }),
  routes: Type.Array(ModelRoute),
});
export type DeskModelDetail = Static<typeof DeskModelDetail>;

export const TryPriceBody = Type.Object(
  {
    price: PriceRule,
    mode: Type.Enum(MODES),
    last: Type.Integer({ minimum: 1, maximum: MAX_TRIED, description: 'How many of the newest generations.' }),
  },
  Closed,
);

export const TriedPrice = Type.Object({
  generations: Natural('How many were priced again.'),
  skipped: Natural('Their effect or inputs are gone.'),
  since: Nullable(Type.String({ format: 'date-time', description: 'When the oldest of them was created.' })),
  capturedCoins: Natural('What they were charged.'),
  newCoins: Natural('What they would have been charged.'),
  costCoins: Nullable(Type.Number()),
  dearer: Natural(),
  cheaper: Natural(),
  unchanged: Natural(),
  accounts: Natural('How many accounts would pay another price.'),
  largest: Type.Array(Type.Object({ generationId: Type.String(), capturedCoins: Natural(), newCoins: Natural() }), {
    description: 'The largest differences. At most 5.',
  }),
});
export type TriedPrice = Static<typeof TriedPrice>;

export const PublishPriceBody = Type.Object(
  { price: Nullable(PriceRule), reason: Reason },
  { ...Closed, description: 'Null returns to the price of the catalog file.' },
);
export const SetCostsBody = Type.Object(
  {
    costs: Type.Record(Type.String({ maxLength: 200 }), Type.Number({ minimum: 0, maximum: MAX_COST_COINS }), {
      maxProperties: 32,
      description: 'Coins per output, by target.',
    }),
    reason: Reason,
  },
  Closed,
);
export const CloseModelBody = Type.Object({ closed: Type.Boolean(), reason: Reason }, Closed);
