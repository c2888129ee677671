import Type, { type Static } from 'typebox';
import { DateTime, Natural, Nullable, Positive } from './building-blocks.ts';
import { Concurrency } from './generation.ts';
import { Ref } from './marks.ts';
import { ChannelValue, ScopeValue } from './named-values.ts';
import { UUID_PATTERN } from './vocabulary.ts';

const RateLimit = Type.Object({ limit: Positive(), windowSeconds: Positive() });

export const PublicAccount = Type.Object({
  balance: Type.Object({
    available: Type.Integer({ description: 'Can be negative after an adjustment by the operator.' }),
    held: Natural(),
  }),
  concurrency: Ref('Concurrency', Concurrency),
  rateLimits: Type.Object({ key: RateLimit, account: RateLimit }),
  key: Nullable(
    Type.Object({
      id: Type.String({ pattern: UUID_PATTERN }),
      name: Type.String(),
      scopes: Type.Array(ScopeValue),
      monthlySpendCapCoins: Nullable(Positive()),
      requestCapCoins: Nullable(Positive('Coins that one request with this key may cost.')),
      spentThisMonthCoins: Natural('Coins captured and coins still held in this UTC month.'),
      expiresAt: Nullable(DateTime()),
    }),
  ),
  channel: ChannelValue,
});
export type PublicAccount = Static<typeof PublicAccount>;
