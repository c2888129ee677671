import Type, { type Static } from 'typebox';
import { Nullable, Positive } from './building-blocks.ts';
import { Discriminated, Ref } from './marks.ts';
import { EFFECT_ID_PATTERN } from './vocabulary.ts';

/** The keys become the type names in generated clients. */
export const effectInputVariants = {
  ImagesInput: Type.Object({ type: Type.Literal('images'), min: Positive(), max: Positive() }),
  VideoInput: Type.Object({ type: Type.Literal('video') }),
};
export const EffectInput = Discriminated('type', effectInputVariants);
export type EffectInput = Static<typeof EffectInput>;

export const Effect = Type.Object({
  id: Type.String({ pattern: EFFECT_ID_PATTERN }),
  kind: Type.Enum(['image', 'video']),
  category: Type.Enum(['style', 'template']),
  nameKey: Type.String({ minLength: 1 }),
  thumbnail: Nullable(Type.String()),
  input: Ref('EffectInput', EffectInput),
  modelId: Type.String({ description: 'The model to use with this effect.' }),
});
export type Effect = Static<typeof Effect>;

export const EffectsResponse = Type.Object({ effects: Type.Array(Ref('Effect', Effect)) });
export type EffectsResponse = Static<typeof EffectsResponse>;
