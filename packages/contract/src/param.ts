import Type, { type Static } from 'typebox';
import { Ref } from './marks.ts';
import { PARAM_NAMES, type ParamName } from './vocabulary.ts';

export const ParamValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())], {
  description: 'A string, a number, a boolean, or an array of strings. A media param takes the id of an upload.',
});
export type ParamValue = Static<typeof ParamValue>;

export type ParamValues = { readonly [K in ParamName]?: ParamValue };

/** Only known param names, each with a plain value. */
export const ParamValues = Type.Unsafe<ParamValues>({
  type: 'object',
  properties: Object.fromEntries(PARAM_NAMES.map((name) => [name, Ref('ParamValue', ParamValue)])),
  additionalProperties: false,
  description: 'Param values by name. Omitted params take the default of the model.',
});
