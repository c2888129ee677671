import {
  Deprecation,
  EFFECT_ID_PATTERN,
  Effect,
  type EffectInput,
  effectInputVariants,
  InputLimits,
  PARAM_NAMES,
  type ParamDescriptor,
  ParamValues,
  paramDescriptorVariants,
  TASK_TYPES,
  WORKSPACES,
} from '@atelier/contract';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { EXPAND_UNITS } from '../catalog.ts';
import { MAX_PRICE_COINS, PriceRule } from '../price-rule.ts';
import { closeSchema } from './close-schema.ts';

const MODEL_ID_PATTERN = '^[a-z0-9][a-z0-9.-]{0,63}$';
const PROVIDER_PATTERN = '^[a-z][a-z0-9-]{0,31}$';
const MAX_NAME_LENGTH = 120;
const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_PROMPT_LENGTH = 8_000;
const MAX_MODELS_PER_FILE = 100;
const MAX_EFFECTS_PER_FILE = 1_000;
const MAX_ROUTES = 8;
const MAX_DEADLINE_SECONDS = 86_400;
const Closed = { additionalProperties: false } as const;

const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH });

const ModelRecord = Type.Object(
  {
    id: Type.String({ pattern: MODEL_ID_PATTERN }),
    taskType: Type.Enum(TASK_TYPES),
    workspace: Type.Enum(WORKSPACES),
    displayName: Name,
    description: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_DESCRIPTION_LENGTH })),
    order: Type.Integer(),
    // Checked one by one against the schema of its kind: this gives a reason instead of "fits no variant".
    params: Type.Unsafe<ParamDescriptor[]>(Type.Array(Type.Unknown(), { maxItems: PARAM_NAMES.length })),
    defaults: Type.Optional(ParamValues),
    inputLimits: Type.Optional(closeSchema(InputLimits)),
    expandUnit: Type.Optional(Type.Enum(EXPAND_UNITS)),
    price: PriceRule,
    deadlineSeconds: Type.Integer({ minimum: 1, maximum: MAX_DEADLINE_SECONDS }),
    consent: Type.Union([
      Type.Boolean(),
      Type.Object({ when: Type.Array(Type.Enum(PARAM_NAMES), { minItems: 1 }) }, Closed),
    ]),
    routes: Type.Array(Type.Object({ provider: Type.String({ pattern: PROVIDER_PATTERN }) }), { maxItems: MAX_ROUTES }),
    deprecation: Type.Optional(closeSchema(Deprecation)),
    closed: Type.Optional(Type.Boolean()),
  },
  Closed,
);
export type ModelRecord = Static<typeof ModelRecord>;

const EffectRecord = Type.Object(
  {
    id: Type.String({ pattern: EFFECT_ID_PATTERN }),
    kind: Effect.properties.kind,
    category: Effect.properties.category,
    order: Type.Integer(),
    input: Type.Unsafe<EffectInput>(Type.Unknown()),
    modelId: Type.String({ pattern: MODEL_ID_PATTERN }),
    surchargeCoins: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PRICE_COINS })),
    prompt: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_PROMPT_LENGTH })),
    /** A file in effects/thumbnails. */
    thumbnail: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}\\.webp$' })),
    settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  Closed,
);
export type EffectRecord = Static<typeof EffectRecord>;

const ModelFile = Type.Object(
  {
    listing: Type.String({ pattern: MODEL_ID_PATTERN }),
    vendor: Name,
    models: Type.Unsafe<ModelRecord[]>(Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_MODELS_PER_FILE })),
  },
  Closed,
);
export type ModelFile = Static<typeof ModelFile>;

const EffectFile = Type.Object(
  {
    effects: Type.Unsafe<EffectRecord[]>(Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_EFFECTS_PER_FILE })),
  },
  Closed,
);
export type EffectFile = Static<typeof EffectFile>;

export const modelFileShape = Compile(ModelFile);
export const modelShape = Compile(ModelRecord);
export const effectFileShape = Compile(EffectFile);
export const effectShape = Compile(EffectRecord);

/** Discriminator to shape, from the variants of the contract. */
export const descriptorShapes = new Map(
  Object.values(paramDescriptorVariants).map((variant) => [
    variant.properties.kind.const as string,
    Compile(closeSchema(variant)),
  ]),
);
export const inputShapes = new Map(
  Object.values(effectInputVariants).map((variant) => [
    variant.properties.type.const as string,
    Compile(closeSchema(variant)),
  ]),
);
