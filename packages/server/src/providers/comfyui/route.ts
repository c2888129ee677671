import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { fieldMapProperties } from '../remote/fields/field-map.ts';

const { map: bind, lookups, constants, accepts } = fieldMapProperties;

export const ComfyUiRoute = Type.Object(
  {
    provider: Type.Optional(Type.String()),
    backend: Type.String(),
    /** A graph in the API's format, beside the catalog. */
    workflow: Type.String({ pattern: '^[A-Za-z0-9_-][A-Za-z0-9_./-]*\\.json$' }),
    /** Our params to places in the graph: `prompt: 6.inputs.text`. */
    bind,
    lookups,
    constants,
    accepts,
    /** The nodes whose files are the outputs; without it every node that saves one. */
    outputs: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
);
export type ComfyUiRoute = Static<typeof ComfyUiRoute>;
export const comfyUiRouteShape = Compile(ComfyUiRoute);
