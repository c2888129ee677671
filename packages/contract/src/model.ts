import Type, { type Static } from 'typebox';
import { DateTime, Natural, Nullable, Positive } from './building-blocks.ts';
import { ParamValues } from './param.ts';
import { Ref } from './ref.ts';
import { MODALITIES, PARAM_NAMES, TASK_TYPES, UI_CONTROLS, UI_GROUPS, WORKSPACES } from './vocabulary.ts';

const common = {
  name: Ref('ParamName', Type.Enum(PARAM_NAMES)),
  required: Type.Boolean(),
  ui: Type.Object({ control: Type.Enum(UI_CONTROLS), group: Type.Enum(UI_GROUPS), order: Type.Integer() }),
};

export const ParamDescriptor = Type.Union([
  Type.Object({
    ...common,
    kind: Type.Literal('text'),
    maxLength: Positive(),
    minLength: Type.Optional(Positive()),
  }),
  Type.Object({
    ...common,
    kind: Type.Literal('enum'),
    values: Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { minItems: 1 }),
  }),
  Type.Object({
    ...common,
    kind: Type.Literal('range'),
    min: Type.Number(),
    max: Type.Number(),
    step: Type.Number({ exclusiveMinimum: 0 }),
  }),
  Type.Object({ ...common, kind: Type.Literal('seed'), max: Positive() }),
  Type.Object({ ...common, kind: Type.Literal('media'), accept: Type.Enum(['image', 'audio', 'video']) }),
  Type.Object({
    ...common,
    kind: Type.Literal('media_list'),
    accept: Type.Enum(['image']),
    minItems: Natural(),
    maxItems: Positive(),
  }),
]);
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
  sunsetAt: DateTime('The model closes then.'),
  replacement: Nullable(Type.String({ description: 'The modelId to move to.' })),
});

export const Model = Type.Object(
  {
    id: Type.String({ description: 'The modelId of quotes and submits.' }),
    listingId: Type.String({ description: 'One product card; several task variants share it.' }),
    taskType: Type.Enum(TASK_TYPES),
    modality: Type.Enum(MODALITIES),
    workspace: Type.Enum(WORKSPACES),
    vendor: Type.String(),
    displayName: Type.String(),
    params: Type.Array(Ref('ParamDescriptor', ParamDescriptor)),
    defaults: Ref('ParamValues', ParamValues),
    priceFromCoins: Nullable(
      Positive('Coins of a request that sets only the prompt; null where that cannot be valid.'),
    ),
    inputLimits: Type.Optional(InputLimits),
    deprecation: Type.Optional(Nullable(Deprecation)),
  },
  { description: 'A model that is open to the API now.' },
);
export type Model = Static<typeof Model>;

export const ModelsResponse = Type.Object({ models: Type.Array(Ref('Model', Model)) });
export type ModelsResponse = Static<typeof ModelsResponse>;
