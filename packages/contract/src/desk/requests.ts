import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable } from '../building-blocks.ts';
import { UUID_PATTERN } from '../vocabulary.ts';

const Id = Type.String({ pattern: UUID_PATTERN });

export const FindRequestQuery = Type.Object(
  { id: Type.Optional(Type.String({ pattern: UUID_PATTERN, description: 'Of a request or of a generation.' })) },
  Closed,
);

export const DeskRequest = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN, description: '`X-Request-Id` of the response, `instance` of the problem.' }),
  accountId: Id,
  keyId: Nullable(Id),
  channel: Type.String(),
  operation: Type.String(),
  status: Natural(),
  code: Nullable(Type.String({ description: 'Of the problem; null if the request succeeded.' })),
  issuePaths: Type.Array(Type.String()),
  generationId: Nullable(Id),
  createdAt: DateTime(),
});
export const DeskGeneration = Type.Object({
  id: Id,
  accountId: Id,
  modelId: Type.String(),
  status: Type.String(),
  pool: Type.String(),
  attempt: Natural('The number of takes.'),
  worker: Nullable(Type.String()),
  target: Nullable(Type.String()),
  errorCode: Nullable(Type.String()),
  coinsQuoted: Natural(),
  coinsCharged: Nullable(Natural()),
  createdAt: DateTime(),
  startedAt: Nullable(DateTime()),
  completedAt: Nullable(DateTime()),
});
export const DeskAttempt = Type.Object({
  attempt: Natural(),
  target: Nullable(Type.String()),
  code: Type.String(),
  decision: Type.Enum(['retry', 'fail', 'drop']),
  message: Type.String({ description: "The provider's own message. Never shown to customers." }),
  createdAt: DateTime(),
});

export const FoundRequest = Type.Object({
  requests: Type.Array(DeskRequest, {
    description: 'Oldest first, at most 20. Submits and refusals of valid keys are kept for 14 days.',
  }),
  generation: Nullable(DeskGeneration),
  failures: Type.Array(DeskAttempt, { description: 'The failed attempts of the generation, oldest first.' }),
});
export type FoundRequest = Static<typeof FoundRequest>;
