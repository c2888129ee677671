import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable } from '../building-blocks.ts';
import { UUID_PATTERN } from '../vocabulary.ts';
import { Reason } from './accounts.ts';

const Id = Type.String({ pattern: UUID_PATTERN });

export const Pool = Type.Object({
  pool: Type.String(),
  waiting: Natural('Without a job: their accounts have no free slot, or enough others of the model have a job.'),
  queued: Natural('Waiting for a worker.'),
  processing: Natural(),
  oldestSeconds: Nullable(Type.Number({ description: 'Age of the oldest that waits for a worker.' })),
});
export const Worker = Type.Object({
  worker: Type.String(),
  seenAt: DateTime(),
  targets: Type.Array(Type.String()),
  unavailable: Type.Array(Type.Object({ kind: Type.String(), name: Type.String(), reason: Type.String() })),
});
export const FailureCause = Type.Object({
  code: Type.String(),
  modelId: Type.String(),
  count: Natural(),
  lastAt: DateTime(),
  message: Type.String({ description: "The provider's own message of the latest. Never shown to customers." }),
});
export const StuckWork = Type.Object({
  generationId: Id,
  accountId: Id,
  modelId: Type.String(),
  pool: Type.String(),
  reason: Type.Enum(['overdue', 'no_worker']),
  since: DateTime(),
});

export const Overview = Type.Object({
  at: DateTime(),
  maintenance: Nullable(Type.String()),
  closedChannels: Type.Array(Type.String()),
  closedModels: Type.Array(Type.String()),
  pools: Type.Array(Pool),
  workers: Type.Array(Worker),
  failures: Type.Array(FailureCause, { description: 'Of the last 24 hours, most frequent first. At most 20.' }),
  failed: Natural('Runs that failed in the last 24 hours. At most 10,000 are counted.'),
  stuck: Type.Array(StuckWork, { description: 'At most 20.' }),
  openHoldCoins: Natural(),
  deliveryLagSeconds: Type.Number(),
});
export type Overview = Static<typeof Overview>;

export const ListFailuresQuery = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 50 })),
  modelId: Type.Optional(Type.String({ maxLength: 200 })),
});
export const DeskFailure = Type.Object({
  id: Natural(),
  generationId: Id,
  accountId: Id,
  accountName: Type.String(),
  modelId: Type.String(),
  attempt: Natural(),
  target: Nullable(Type.String()),
  code: Type.String(),
  decision: Type.Enum(['retry', 'fail', 'drop']),
  message: Type.String(),
  createdAt: DateTime(),
});
export type DeskFailure = Static<typeof DeskFailure>;
export const FailureList = Type.Object({
  items: Type.Array(DeskFailure, { description: 'Newest first. At most 100, of the newest 10,000.' }),
});

export const Switches = Type.Object({
  maintenance: Nullable(Type.String({ description: 'The text for clients; null if there is no maintenance.' })),
  closedChannels: Type.Array(Type.String()),
  closedModels: Type.Array(Type.String()),
});
export type Switches = Static<typeof Switches>;
export const MaintenanceBody = Type.Object(
  {
    message: Nullable(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })),
    reason: Reason,
  },
  { ...Closed, description: 'Null ends it.' },
);
export const ChannelBody = Type.Object({ closed: Type.Boolean(), reason: Reason }, Closed);

export const Books = Type.Object({
  checkedAt: DateTime(),
  checks: Type.Array(
    Type.Object({
      id: Type.String(),
      claim: Type.String(),
      violations: Nullable(Natural('Null if there was no time to check it.')),
      first: Type.Array(Type.Record(Type.String(), Type.Unknown())),
      durationMs: Natural(),
    }),
  ),
});
export type Books = Static<typeof Books>;
