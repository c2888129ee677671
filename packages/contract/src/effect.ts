import Type, { type Static } from 'typebox';
import { Nullable, Positive } from './building-blocks.ts';
import { Ref } from './ref.ts';
import { EFFECT_ID_PATTERN } from './vocabulary.ts';

export const EffectInput = Type.Union([
  Type.Object({ type: Type.Literal('images'), min: Positive(), max: Positive() }),
  Type.Object({ type: Type.Literal('video') }),
]);
export type EffectInput = Static<typeof EffectInput>;

export const Effect = Type.Object({
  id: Type.String({ pattern: EFFECT_ID_PATTERN }),
  kind: Type.Enum(['image', 'video']),
  category: Type.Enum(['style', 'template']),
  nameKey: Type.String({ minLength: 1 }),
  thumbnail: Nullable(Type.String()),
  input: EffectInput,
  modelId: Type.String({ description: 'The model to use with this effect.' }),
});
export type Effect = Static<typeof Effect>;

export const EffectsResponse = Type.Object({ effects: Type.Array(Ref('Effect', Effect)) });
export type EffectsResponse = Static<typeof EffectsResponse>;
