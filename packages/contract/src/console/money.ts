import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable, Positive } from '../building-blocks.ts';
import { UUID_PATTERN } from '../vocabulary.ts';

export const TRANSFER_KINDS = ['grant', 'adjust', 'hold', 'capture', 'release'] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/** One movement of coins, as the account sees it. Who decided it and why is for the operator. */
export const Transfer = Type.Object({
  id: Positive('Later transfers have larger ids.'),
  createdAt: DateTime(),
  kind: Type.Enum(TRANSFER_KINDS),
  availableChange: Type.Integer({ description: 'Added to the available coins; negative if taken.' }),
  heldChange: Type.Integer({ description: 'Added to the held coins; negative if taken.' }),
  generationId: Nullable(Type.String({ pattern: UUID_PATTERN })),
  modelName: Nullable(Type.String()),
  projectId: Nullable(Type.String()),
  reference: Nullable(Type.String({ description: 'Name of a grant or an adjustment, for example of an invoice.' })),
});
export type Transfer = Static<typeof Transfer>;

export const LedgerRow = Type.Object({
  ...Transfer.properties,
  availableAfter: Type.Integer({ description: 'Available coins after this transfer.' }),
});
export type LedgerRow = Static<typeof LedgerRow>;

export const LedgerPage = Type.Object({
  items: Type.Array(LedgerRow, { description: 'Newest first.' }),
  nextCursor: Nullable(Type.String({ description: 'Null on the last page.' })),
});
export type LedgerPage = Static<typeof LedgerPage>;

export const ListLedgerQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: 1_000, description: 'nextCursor of the previous page.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  },
  Closed,
);

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Rows of one file. The next file continues before its last row. */
export const MAX_EXPORT_ROWS = 100_000;

export const ExportLedgerQuery = Type.Object(
  {
    format: Type.Enum(EXPORT_FORMATS),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: `Only transfers with a smaller id. A file has at most ${MAX_EXPORT_ROWS} rows; continue with the id of its last row.`,
      }),
    ),
  },
  Closed,
);

/** Days of one request. */
export const MAX_USAGE_DAYS = 92;
/** Models, keys and projects of one response, each: those with the most coins. */
export const MAX_USAGE_GROUPS = 50;

const Day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description });

export const UsageQuery = Type.Object(
  {
    from: Day('First day, UTC.'),
    to: Day(`Last day, UTC; at most ${MAX_USAGE_DAYS} days in all.`),
  },
  Closed,
);

const used = {
  coins: Natural('Coins charged.'),
  generations: Natural('Generations that were charged.'),
};

export const UsageOfDay = Type.Object({ day: Day('UTC.'), ...used });
export type UsageOfDay = Static<typeof UsageOfDay>;

/** The share of a model, a key or a project. */
export const UsageGroup = Type.Object({
  id: Nullable(Type.String({ description: 'Null: without a key, that is from the console; or without a project.' })),
  name: Nullable(Type.String({ description: 'Of the model or the key.' })),
  ...used,
});
export type UsageGroup = Static<typeof UsageGroup>;

const Groups = Type.Array(UsageGroup, { description: `Most coins first, at most ${MAX_USAGE_GROUPS}.` });

export const Usage = Type.Object({
  from: Day('First day, UTC.'),
  to: Day('Last day, UTC.'),
  total: Type.Object(used),
  days: Type.Array(UsageOfDay, { description: 'In order. Days without a charge are left out.' }),
  models: Groups,
  keys: Groups,
  projects: Groups,
  isComplete: Type.Boolean({
    description:
      'False: older charges are still being counted, or the period has too many projects. Ask again, or for fewer days.',
  }),
});
export type Usage = Static<typeof Usage>;
