import Type, { type Static } from 'typebox';

export const OpenaiModel = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Always 0: models have no date.' }),
  owned_by: Type.String(),
});
export type OpenaiModel = Static<typeof OpenaiModel>;

export const OpenaiModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(OpenaiModel) });
export type OpenaiModelList = Static<typeof OpenaiModelList>;
