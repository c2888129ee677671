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
    queuePosition: Nullable(Positive('Position in the queue of the account; 1 is next. Null unless queued.')),
    queueReason: Type.Optional(
      Nullable(
        Ref(
          'QueueReason',
          Type.Enum(QUEUE_REASONS, {
            description:
              'Why the generation is queued. `account_limit`: the account has reached its running limit. `capacity`: all workers are busy. `no_worker`: no worker serves the model.',
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
        message: Type.Optional(Type.String({ description: 'An explanation to show to people.' })),
      }),
    ),
    projectId: Nullable(Type.String({ minLength: 1 })),
    createdAt: DateTime(),
    startedAt: Nullable(DateTime()),
    completedAt: Nullable(DateTime()),
  },
  { description: 'One paid request to a model, with its status and outputs.' },
);
export type Generation = Static<typeof Generation>;

export const GenerationPage = Type.Object({
  items: Type.Array(Ref('Generation', Generation)),
  nextCursor: Nullable(Type.String({ minLength: 1, description: 'Null on the last page.' })),
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
        description: 'Charge exactly the quoted coins. Send exactly one of `quoteToken` and `maxCoins`.',
      }),
    ),
    maxCoins: Type.Optional(
      Type.Integer({
        exclusiveMinimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Charge the current price. Fails with `max_coins_exceeded` if the price is higher than this.',
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
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: '`nextCursor` of the previous page.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
    status: Type.Optional(StatusValue),
    modality: Type.Optional(ModalityValue),
    workspace: Type.Optional(WorkspaceValue),
    modelId: Type.Optional(Type.String({ minLength: 1, maxLength: MODEL_ID_MAX_LENGTH })),
    active: Type.Optional(
      Type.Boolean({
        description: 'Return only queued and processing generations. False has no effect.',
      }),
    ),
  },
  Closed,
);
export type ListGenerationsQuery = Static<typeof ListGenerationsQuery>;

export const Concurrency = Type.Object({
  limit: Positive('How many generations can run at once.'),
  raisedLimit: Nullable(Positive('The limit after the next upgrade of the account. Null if there is none.')),
  running: Natural(),
  queued: Natural(),
});
export type Concurrency = Static<typeof Concurrency>;
