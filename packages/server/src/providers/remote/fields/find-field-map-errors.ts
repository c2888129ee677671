import type { ParamDescriptor } from '@atelier/contract';
import { Compile } from 'typebox/compile';
import type { RouteError } from '../../provider.ts';
import { describeShapeErrors } from './describe-shape-errors.ts';
import { type FieldMap, Target } from './field-map.ts';

const targetShape = Compile(Target);
const MAX_CHOICES_SHOWN = 40;

/** Params and choices in a route's map that the model does not have. `key` is the provider's name for its map. */
export function findFieldMapErrors(
  settings: Readonly<Record<string, unknown>>,
  { key, params }: { key: 'map' | 'bind'; params: readonly ParamDescriptor[] },
): RouteError[] {
  const errors: RouteError[] = [];
  const names = params.map(({ name }) => String(name));
  const judgeName = (name: string, path: RouteError['path']) => {
    if (!names.includes(name))
      errors.push({ path, reason: `${name} is not a param of the model; it has ${names.join(', ')}` });
  };
  for (const [param, targets] of Object.entries(asObject(settings[key]))) {
    judgeName(param, [key, param]);
    for (const [index, target] of [targets].flat().entries()) {
      const path = Array.isArray(targets) ? [key, param, index] : [key, param];
      if (typeof target === 'string') {
        if (target === '') errors.push({ path, reason: 'must name a field of the backend' });
      } else errors.push(...describeShapeErrors(targetShape, { value: target, schema: Target, at: path }));
    }
  }
  const map = settings as FieldMap;
  for (const [index, lookup] of asList(map.lookups).entries()) {
    const { by, values } = lookup as Partial<NonNullable<FieldMap['lookups']>[number]>;
    const path = ['lookups', index, 'by'];
    for (const name of asList(by)) judgeName(String(name), path);
    const choices = combine(asList(by).map((name) => choicesOf(params, String(name))));
    if (choices === null) continue;
    for (const value of Object.keys(asObject(values)))
      if (!choices.includes(value))
        errors.push({
          path: ['lookups', index, 'values', value],
          reason: `"${value}" is not a choice of ${asList(by).join(', ')}; the choices are ${list(choices)}`,
        });
  }
  for (const [name, values] of Object.entries(asObject(settings.accepts))) {
    judgeName(name, ['accepts', name]);
    const choices = choicesOf(params, name);
    if (choices === null) continue;
    for (const value of asList(values))
      if (!choices.includes(String(value)))
        errors.push({
          path: ['accepts', name],
          reason: `"${String(value)}" is not a choice of ${name}; the choices are ${list(choices)}`,
        });
  }
  return errors;
}

/** Null when the param has no fixed list of values. */
function choicesOf(params: readonly ParamDescriptor[], name: string): string[] | null {
  const found = params.find((each) => each.name === name);
  return found?.kind === 'enum' ? found.values.map(String) : null;
}

function combine(lists: readonly (readonly string[] | null)[]): string[] | null {
  let all = [''];
  for (const list of lists) {
    if (list === null) return null;
    all = all.flatMap((left) => list.map((right) => (left === '' ? right : `${left} ${right}`)));
  }
  return all;
}

function list(choices: readonly string[]): string {
  const shown = choices.slice(0, MAX_CHOICES_SHOWN).join(', ');
  return choices.length > MAX_CHOICES_SHOWN ? `${shown} and ${choices.length - MAX_CHOICES_SHOWN} more` : shown;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function asList<T>(value: readonly T[] | unknown): readonly T[] {
  return Array.isArray(value) ? value : [];
}
