import Type, { type Static } from 'typebox';
import { Ref } from './marks.ts';
import { PARAM_NAMES, type ParamName } from './vocabulary.ts';

export const ParamValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())], {
  description: 'A string, a number, a boolean, or an array of strings. Media params carry the id of an upload.',
});
export type ParamValue = Static<typeof ParamValue>;

export type ParamValues = { readonly [K in ParamName]?: ParamValue };

/** What a model may be asked: only the known names, each with a plain value. */
export const ParamValues = Type.Unsafe<ParamValues>({
  type: 'object',
  properties: Object.fromEntries(PARAM_NAMES.map((name) => [name, Ref('ParamValue', ParamValue)])),
  additionalProperties: false,
  description: 'Param name to value. Send only what you want to set; omitted params take the model default.',
});
