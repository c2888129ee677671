import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable, Positive } from './building-blocks.ts';
import { MODEL_ID_MAX_LENGTH } from './generation.ts';
import { Ref } from './marks.ts';
import { Availability } from './model.ts';
import { ParamValues } from './param.ts';
import { EFFECT_ID_PATTERN } from './vocabulary.ts';

export const QUOTE_LIFE_SECONDS = 600;

export const CreateQuoteBody = Type.Object(
  {
    modelId: Type.String({ minLength: 1, maxLength: MODEL_ID_MAX_LENGTH }),
    params: Ref('ParamValues', ParamValues),
    draft: Type.Optional(
      // The default is in the description: client generators make a field with a `default` keyword required.
      Type.Boolean({
        description:
          'Price an incomplete request: missing params take their defaults, and `quoteToken` is null. Default: false.',
      }),
    ),
    effectId: Type.Optional(Type.String({ pattern: EFFECT_ID_PATTERN })),
  },
  Closed,
);
export type CreateQuoteBody = Static<typeof CreateQuoteBody>;

export const QuoteResponse = Type.Object({
  modelId: Type.String(),
  coins: Positive('Total price. A submit charges exactly this.'),
  coinsPerOutput: Positive(),
  outputs: Positive(),
  quoteToken: Nullable(
    Type.String({
      minLength: 1,
      description: 'Null for a draft, and while the model is unavailable; `availability` says why.',
    }),
  ),
  expiresAt: DateTime(),
  availableCoins: Natural(),
  availability: Ref('Availability', Availability),
  lines: Type.Optional(
    Type.Array(Type.Object({ label: Type.String(), coins: Type.Number() }), {
      description: 'Line items that make up the price of one output.',
    }),
  ),
});
export type QuoteResponse = Static<typeof QuoteResponse>;
