import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable, Positive } from './building-blocks.ts';
import { Discriminated, Ref } from './marks.ts';
import { ModalityValue, ParamNameValue, TaskTypeValue, WorkspaceValue } from './named-values.ts';
import { ParamValues } from './param.ts';
import { UI_CONTROLS, UI_GROUPS } from './vocabulary.ts';

const common = {
  name: ParamNameValue,
  required: Type.Boolean(),
  ui: Type.Object({ control: Type.Enum(UI_CONTROLS), group: Type.Enum(UI_GROUPS), order: Type.Integer() }),
};

/** The keys become the type names in generated clients; `kind` is the discriminator. */
export const paramDescriptorVariants = {
  TextParam: Type.Object({
    ...common,
    kind: Type.Literal('text'),
    maxLength: Positive('In Unicode code points.'),
    minLength: Type.Optional(Positive('In Unicode code points. At least 1 for a required text.')),
  }),
  EnumParam: Type.Object({
    ...common,
    kind: Type.Literal('enum'),
    values: Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { minItems: 1 }),
  }),
  RangeParam: Type.Object({
    ...common,
    kind: Type.Literal('range'),
    min: Type.Number(),
    max: Type.Number(),
    step: Type.Number({ exclusiveMinimum: 0 }),
  }),
  SeedParam: Type.Object({ ...common, kind: Type.Literal('seed'), max: Positive() }),
  MediaParam: Type.Object({
    ...common,
    kind: Type.Literal('media'),
    accept: Type.Enum(['image', 'audio', 'video']),
  }),
  MediaListParam: Type.Object({
    ...common,
    kind: Type.Literal('media_list'),
    accept: Type.Enum(['image']),
    minItems: Natural(),
    maxItems: Positive(),
  }),
};
export const ParamDescriptor = Discriminated('kind', paramDescriptorVariants);
export type ParamDescriptor = Static<typeof ParamDescriptor>;

export const InputLimits = Type.Object({
  maxOutputPixels: Type.Optional(Positive()),
  maxOutputSide: Type.Optional(Positive()),
  minInputSeconds: Type.Optional(Positive()),
  maxInputSeconds: Type.Optional(Positive()),
  maxInputBytes: Type.Optional(Positive()),
});
export type InputLimits = Static<typeof InputLimits>;

export const Deprecation = Type.Object({
  deprecatedAt: DateTime(),
  sunsetAt: DateTime('When the model is removed.'),
  replacement: Nullable(Type.String({ description: 'The `modelId` to use instead.' })),
});

export const ModelConsent = Type.Object(
  {
    when: Nullable(
      Type.Array(ParamNameValue, {
        minItems: 1,
        description: 'Only a submit that sets one of these params needs it. Null: every submit does.',
      }),
    ),
  },
  { description: "The model changes or imitates a person's likeness or voice: a submit needs `consent: true`." },
);

export const AVAILABILITY_STATES = ['open', 'closed'] as const;
export const CLOSED_REASONS = ['no_worker', 'operator'] as const;
export type ClosedReason = (typeof CLOSED_REASONS)[number];

export const Availability = Type.Object(
  {
    state: Ref('AvailabilityState', Type.Enum(AVAILABILITY_STATES)),
    reason: Nullable(
      Ref(
        'ClosedReason',
        Type.Enum(CLOSED_REASONS, {
          description: '`no_worker`: no worker serves the model at the moment. `operator`: the operator disabled it.',
        }),
      ),
    ),
  },
  { description: 'Whether the model accepts requests. `reason` is null while `state` is `open`.' },
);
export type Availability = Static<typeof Availability>;

export const Model = Type.Object(
  {
    id: Type.String({ description: 'The `modelId` for quotes and submits.' }),
    listingId: Type.String({ description: 'Groups the task variants of one product.' }),
    taskType: TaskTypeValue,
    modality: ModalityValue,
    workspace: WorkspaceValue,
    vendor: Type.String(),
    displayName: Type.String(),
    params: Type.Array(Ref('ParamDescriptor', ParamDescriptor)),
    defaults: Ref('ParamValues', ParamValues),
    priceFromCoins: Nullable(
      Positive('Price of a request that sets only the prompt. Null if such a request is not valid.'),
    ),
    inputLimits: Type.Optional(Ref('InputLimits', InputLimits)),
    deprecation: Type.Optional(Nullable(Ref('Deprecation', Deprecation))),
    consent: Type.Optional(Ref('ModelConsent', ModelConsent)),
    description: Nullable(Type.String({ minLength: 1, description: 'A short description to show to people.' })),
    availability: Ref('Availability', Availability),
  },
  { description: 'A model: what it does, the params it takes, and whether it accepts requests.' },
);
export type Model = Static<typeof Model>;

export const ModelsResponse = Type.Object({ models: Type.Array(Ref('Model', Model)) });
export type ModelsResponse = Static<typeof ModelsResponse>;

export const ListModelsQuery = Type.Object(
  {
    taskType: Type.Optional(TaskTypeValue),
    modality: Type.Optional(ModalityValue),
    workspace: Type.Optional(WorkspaceValue),
  },
  Closed,
);
export type ListModelsQuery = Static<typeof ListModelsQuery>;
