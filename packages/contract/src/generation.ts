import Type, { type Static } from 'typebox';
import { Asset } from './asset.ts';
import { Closed, DateTime, Natural, Nullable, Positive } from './building-blocks.ts';
import { ExactlyOneOf, Ref } from './marks.ts';
import { FailureCodeValue, ModalityValue, StatusValue, TaskTypeValue, WorkspaceValue } from './named-values.ts';
import { ParamValues } from './param.ts';
import { EFFECT_ID_PATTERN } from './vocabulary.ts';

export const QUEUE_REASONS = ['account_limit', 'capacity', 'no_worker'] as const;

export const Generation = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    modelId: Type.String(),
    modelName: Type.String(),
    taskType: TaskTypeValue,
    modality: ModalityValue,
    workspace: WorkspaceValue,
    effect: Nullable(Type.Object({ id: Type.String(), text: Nullable(Type.String()) })),
    status: StatusValue,
    progress: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    queuePosition: Nullable(Positive("Place in the account's own queue; 1 is next. Null unless queued.")),
    queueReason: Type.Optional(
      Nullable(
        Ref(
          'QueueReason',
          Type.Enum(QUEUE_REASONS, {
            description:
              'Why it waits: the running limit of the account, the capacity of the workers, or that no worker serves the model now. Additive.',
          }),
        ),
      ),
    ),
    params: Ref('ParamValues', ParamValues),
    coinsQuoted: Positive(),
    coinsCharged: Nullable(Natural('Null while queued or processing; 0 when failed or canceled.')),
    outputs: Type.Array(Ref('Asset', Asset)),
    outputsRequested: Positive(),
    error: Nullable(
      Type.Object({
        code: FailureCodeValue,
        message: Type.Optional(Type.String({ description: 'A sentence for people. Additive.' })),
      }),
    ),
    projectId: Nullable(Type.String({ minLength: 1 })),
    createdAt: DateTime(),
    startedAt: Nullable(DateTime()),
    completedAt: Nullable(DateTime()),
  },
  { description: 'One paid request to a model and all that became of it.' },
);
export type Generation = Static<typeof Generation>;

export const GenerationPage = Type.Object({
  items: Type.Array(Ref('Generation', Generation)),
  nextCursor: Nullable(Type.String({ minLength: 1, description: 'Null means the last page.' })),
});
export type GenerationPage = Static<typeof GenerationPage>;

export const PROJECT_ID_MAX_LENGTH = 128;
export const MODEL_ID_MAX_LENGTH = 128;
export const QUOTE_TOKEN_MAX_LENGTH = 2048;

export const CreateGenerationBody = Type.Object(
  {
    modelId: Type.String({ minLength: 1, maxLength: MODEL_ID_MAX_LENGTH }),
    params: Ref('ParamValues', ParamValues),
    quoteToken: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: QUOTE_TOKEN_MAX_LENGTH,
        description: 'Charge exactly the quoted coins. Exactly one of quoteToken and maxCoins is sent.',
      }),
    ),
    maxCoins: Type.Optional(
      Type.Integer({
        exclusiveMinimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Charge the current price, and fail with max_coins_exceeded when it is above this.',
      }),
    ),
    projectId: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: PROJECT_ID_MAX_LENGTH }))),
    effectId: Type.Optional(Type.String({ pattern: EFFECT_ID_PATTERN })),
    consent: Type.Optional(Type.Literal(true)),
  },
  {
    ...Closed,
    ...ExactlyOneOf({ CreateGenerationWithQuote: 'quoteToken', CreateGenerationWithMaxCoins: 'maxCoins' }),
  },
);
export type CreateGenerationBody = Static<typeof CreateGenerationBody>;

export const ListGenerationsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: 'The previous nextCursor.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
    status: Type.Optional(StatusValue),
    modality: Type.Optional(ModalityValue),
    workspace: Type.Optional(WorkspaceValue),
    modelId: Type.Optional(Type.String({ minLength: 1, maxLength: MODEL_ID_MAX_LENGTH })),
    active: Type.Optional(
      Type.Boolean({
        description: 'Only generations still queued or processing. False is the same as leaving it out.',
      }),
    ),
  },
  Closed,
);
export type ListGenerationsQuery = Static<typeof ListGenerationsQuery>;

export const Concurrency = Type.Object({
  limit: Positive('What is enforced.'),
  raisedLimit: Nullable(Positive("What the account's next step would give; null when there is none.")),
  running: Natural(),
  queued: Natural(),
});
export type Concurrency = Static<typeof Concurrency>;
