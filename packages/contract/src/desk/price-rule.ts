import Type, { type Static } from 'typebox';
import { Closed } from '../building-blocks.ts';
import { PARAM_NAMES } from '../vocabulary.ts';

export const MAX_PRICE_COINS = 1_000_000;
const MAX_LINES = 32;
const MAX_LABEL_LENGTH = 80;

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const PriceLine = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: MAX_LABEL_LENGTH }),
    coins: Type.Number({ exclusiveMinimum: 0, maximum: MAX_PRICE_COINS }),
    per: Type.Optional(Type.Enum(['output', 'second', 'megapixel', 'thousand_characters'])),
    of: Type.Optional(Type.Enum(PARAM_NAMES)),
    when: Type.Optional(Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar, { minItems: 1 })]))),
    minimum: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    megapixels: Type.Optional(Type.Record(Type.String(), Type.Number({ exclusiveMinimum: 0 }))),
  },
  Closed,
);
export type PriceLine = Static<typeof PriceLine>;

/** The price rule of one output. Coins may be fractions here; a price is always whole coins. */
export const PriceRule = Type.Object(
  {
    perOutput: Type.Number({ minimum: 0, maximum: MAX_PRICE_COINS }),
    lines: Type.Optional(Type.Array(PriceLine, { maxItems: MAX_LINES })),
    roundUpTo: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PRICE_COINS })),
  },
  Closed,
);
export type PriceRule = Static<typeof PriceRule>;
