import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable } from '../building-blocks.ts';
import { MODES, ROLES } from '../console/session.ts';
import { UUID_PATTERN } from '../vocabulary.ts';
import { AuditEntry } from './audit.ts';

/** More than any balance; sums of these stay below 2^53. */
const MAX_COINS = 1_000_000_000_000;
const MAX_LIMIT = 1_000_000;
const MAX_TEXT_CHARS = 200;
/** One line. */
const LINE = '^[^\\x00-\\x1f\\x7f]*\\S[^\\x00-\\x1f\\x7f]*$';

const Id = Type.String({ pattern: UUID_PATTERN });
export const Reason = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT_CHARS,
  pattern: LINE,
  description: 'Why. Kept permanently with the change.',
});

export const SearchAccountsQuery = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'An id of an account or person, an email address, or a part of a name.',
    }),
  ),
});

export const DeskAccount = Type.Object({
  id: Id,
  mode: Type.Enum(MODES),
  name: Type.String(),
  available: Type.Integer(),
  held: Natural(),
  runLimit: Natural(),
  locked: Type.Boolean(),
});
export type DeskAccount = Static<typeof DeskAccount>;

export const DeskAccountList = Type.Object({
  items: Type.Array(DeskAccount, { description: 'Newest first. At most 100.' }),
});

export const DeskTransfer = Type.Object({
  id: Natural(),
  kind: Type.String(),
  debit: Type.String(),
  credit: Type.String(),
  amount: Natural(),
  generationId: Nullable(Id),
  actor: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  createdAt: DateTime(),
});

export const DeskAccountDetail = Type.Object({
  ...DeskAccount.properties,
  raisedLimit: Nullable(Natural()),
  rateLimit: Natural('Requests per 60 seconds.'),
  lockedReason: Nullable(Type.String()),
  createdAt: DateTime(),
  members: Type.Array(Type.Object({ personId: Id, name: Type.String(), email: Type.String(), role: Type.Enum(ROLES) })),
  transfers: Type.Array(DeskTransfer, { description: 'The newest 20.' }),
  audit: Type.Array(AuditEntry, { description: 'The newest 20.' }),
});
export type DeskAccountDetail = Static<typeof DeskAccountDetail>;

const Reference = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_TEXT_CHARS,
    pattern: LINE,
    description: 'Your own. Repeating it moves nothing.',
  }),
);
export const GrantBody = Type.Object(
  { coins: Type.Integer({ minimum: 1, maximum: MAX_COINS }), reason: Reason, reference: Reference },
  Closed,
);
export const AdjustBody = Type.Object(
  {
    coins: Type.Integer({ minimum: -MAX_COINS, maximum: MAX_COINS, not: { const: 0 } }),
    reason: Reason,
    reference: Reference,
  },
  Closed,
);
export const Moved = Type.Object({
  transferId: Natural(),
  available: Type.Integer({ description: 'The balance afterwards.' }),
  repeated: Type.Boolean({ description: 'The reference was known: nothing moved.' }),
});

export const LockBody = Type.Object({ locked: Type.Boolean(), reason: Reason }, Closed);
const Limit = Type.Integer({ minimum: 1, maximum: MAX_LIMIT });
export const LimitsBody = Type.Object(
  {
    runLimit: Type.Optional(Limit),
    raisedLimit: Type.Optional(Nullable(Limit)),
    rateLimit: Type.Optional(Limit),
    reason: Reason,
  },
  { ...Closed, minProperties: 2, description: 'Omitted limits stay.' },
);
