import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { fieldMapProperties } from '../remote/fields/field-map.ts';

export const FalRoute = Type.Object(
  {
    provider: Type.Optional(Type.String()),
    backend: Type.String(),
    /** `owner/app`, with a path inside the app where it has one; `workflows/` or `comfy/` may precede the owner. */
    model: Type.String({ pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_.-]*[A-Za-z0-9_-])+$' }),
    /** The part of the result to use, as a dotted path. */
    output: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    ...fieldMapProperties,
  },
  { additionalProperties: false },
);
export type FalRoute = Static<typeof FalRoute>;
export const falRouteShape = Compile(FalRoute);
