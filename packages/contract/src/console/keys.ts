import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable } from '../building-blocks.ts';
import { SCOPES, UUID_PATTERN } from '../vocabulary.ts';
import { MODES } from './session.ts';

export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** The largest cap that can be set. */
const MAX_CAP_COINS = 1_000_000_000_000;

const KeyName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description: 'Display name.' });
export const Scopes = Type.Array(Type.Enum(SCOPES), {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  description: 'What the key may do.',
});
export const Cap = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_CAP_COINS,
    description: 'Coins that the key may spend in a UTC month; null for no cap.',
  }),
);
const RequestCap = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_CAP_COINS,
    description: 'Coins that one request of the key may cost; null for no cap.',
  }),
);
const ExpiresAt = Nullable(DateTime('Must be in the future; null if the key does not expire.'));

export const ConsoleKey = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN }),
  name: Type.String(),
  prefix: Type.String({ description: 'The beginning of the key, for display.' }),
  last4: Type.String({ description: 'The last four characters of the key, for display.' }),
  mode: Type.Enum(MODES),
  scopes: Type.Array(Type.Enum(SCOPES)),
  monthlySpendCapCoins: Nullable(Natural()),
  requestCapCoins: Nullable(Natural('Coins that one request may cost; null for no cap.')),
  spentThisMonthCoins: Natural('Coins captured and coins still held in this UTC month.'),
  status: Type.Enum(KEY_STATUSES),
  createdAt: DateTime(),
  lastUsedAt: Nullable(DateTime('To the minute; null if the key was never used.')),
  expiresAt: Nullable(DateTime()),
  revokedAt: Nullable(DateTime()),
});
export type ConsoleKey = Static<typeof ConsoleKey>;

export const ConsoleKeyList = Type.Object({
  items: Type.Array(ConsoleKey, { description: 'Usable keys first, then newest first. At most 500.' }),
});

export const CreateKeyBody = Type.Object(
  {
    name: KeyName,
    scopes: Scopes,
    monthlySpendCapCoins: Type.Optional(Cap),
    requestCapCoins: Type.Optional(RequestCap),
    expiresAt: Type.Optional(ExpiresAt),
  },
  Closed,
);

export const CreatedKey = Type.Object({
  key: ConsoleKey,
  secret: Type.String({ description: 'The API key itself. Shown once: it is not stored.' }),
});
export type CreatedKey = Static<typeof CreatedKey>;

export const UpdateKeyBody = Type.Object(
  {
    name: Type.Optional(KeyName),
    scopes: Type.Optional(Scopes),
    monthlySpendCapCoins: Type.Optional(Cap),
    requestCapCoins: Type.Optional(RequestCap),
    expiresAt: Type.Optional(ExpiresAt),
  },
  { ...Closed, minProperties: 1, description: 'Omitted settings stay.' },
);
