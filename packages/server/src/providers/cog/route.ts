import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { fieldMapProperties } from '../remote/fields/field-map.ts';

export const CogRoute = Type.Object(
  {
    provider: Type.Optional(Type.String()),
    backend: Type.String(),
    /** For Replicate: a version, or a model as `owner/name`. A Cog server has one model. */
    version: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_./:-]{1,200}$' })),
    model: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$' })),
    /** How long Replicate may keep the first call open. */
    waitSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 60 })),
    /** The part of the model's output to use, as a dotted path; `$stem` is replaced by the param of that name. */
    output: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    ...fieldMapProperties,
  },
  { additionalProperties: false },
);
export type CogRoute = Static<typeof CogRoute>;
export const cogRouteShape = Compile(CogRoute);
