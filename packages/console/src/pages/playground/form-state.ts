import {
  type Effect,
  type Issue,
  type Model,
  type ParamDescriptor,
  type ParamName,
  type ParamValue,
  type ParamValues,
  UI_GROUPS,
} from '@atelier/contract';

/** What the form is about: a model, or an effect and the model that makes it. */
export interface Target {
  readonly model: Model;
  readonly effect: Effect | null;
}

export type FormValues = ParamValues;

/** What the form asks for, in the order of its groups. */
export function describeForm({ model, effect }: Target): readonly ParamDescriptor[] {
  const params = effect === null ? model.params : describeEffect(model, effect);
  return params.toSorted(
    (a, b) => UI_GROUPS.indexOf(a.ui.group) - UI_GROUPS.indexOf(b.ui.group) || a.ui.order - b.ui.order,
  );
}

const EFFECT_PROMPT_MAX_LENGTH = 2_000;

/** An effect takes its pictures or its video, and a prompt. The other params of the model keep their defaults. */
function describeEffect(model: Model, { input }: Effect): ParamDescriptor[] {
  const prompt = model.params.find(({ name }) => name === 'prompt');
  const source: ParamDescriptor =
    input.type === 'video'
      ? {
          name: 'video',
          kind: 'media',
          accept: 'video',
          required: true,
          ui: { control: 'video', group: 'inputs', order: 1 },
        }
      : {
          name: 'images',
          kind: 'media_list',
          accept: 'image',
          required: true,
          minItems: input.min,
          maxItems: input.max,
          ui: { control: 'images', group: 'inputs', order: 1 },
        };
  return [
    source,
    {
      name: 'prompt',
      kind: 'text',
      maxLength: EFFECT_PROMPT_MAX_LENGTH,
      ui: { control: 'prompt', group: 'advanced', order: 2 },
      ...(prompt?.kind === 'text' ? { maxLength: prompt.maxLength } : {}),
      required: false,
    },
  ];
}

/** An empty form: the defaults of the model, then what a link brings. */
export function startValues(target: Target, given: FormValues = {}): FormValues {
  const values: Partial<Record<ParamName, ParamValue>> = {};
  for (const descriptor of describeForm(target)) {
    const { name } = descriptor;
    const wanted = given[name];
    const value = wanted !== undefined && fits(descriptor, wanted) ? wanted : target.model.defaults[name];
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** The form with another value in one field. A mask belongs to its picture, so it goes with it. */
export function withValue(values: FormValues, name: ParamName, value: ParamValue | undefined): FormValues {
  const gone: readonly string[] = name === 'image' ? ['image', 'mask'] : [name];
  const rest = Object.fromEntries(Object.entries(values).filter(([each]) => !gone.includes(each)));
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** Whether a field can show this value. Only the server decides whether it is allowed. */
function fits(descriptor: ParamDescriptor, value: ParamValue): boolean {
  switch (descriptor.kind) {
    case 'text':
    case 'media':
      return typeof value === 'string';
    case 'enum':
      return (descriptor.values as readonly ParamValue[]).includes(value);
    case 'range':
    case 'seed':
      return typeof value === 'number';
    case 'media_list':
      return Array.isArray(value);
  }
}

/** The params of the request. What is not set, or equals the default, is left out. */
export function toParams(target: Target, values: FormValues): ParamValues {
  const params: Partial<Record<ParamName, ParamValue>> = {};
  for (const descriptor of describeForm(target)) {
    const value = values[descriptor.name];
    const preset = target.model.defaults[descriptor.name];
    if (value === undefined || (isEmpty(value) && preset === undefined)) continue;
    if (!descriptor.required && value === preset) continue;
    params[descriptor.name] = value;
  }
  return params;
}

/** Whether a submit with these params needs the agreement of the people in the input. */
export function asksConsent({ model }: Target, params: ParamValues): boolean {
  if (model.consent === undefined) return false;
  return model.consent.when === null || model.consent.when.some((name) => params[name] !== undefined);
}

const isEmpty = (value: ParamValue): boolean => value === '' || (Array.isArray(value) && value.length === 0);

/** What is wrong with a value, as far as the page can tell before it asks. */
export type Hint =
  | { readonly kind: 'required' }
  | { readonly kind: 'tooLong'; readonly limit: number }
  | { readonly kind: 'tooShort'; readonly limit: number }
  | { readonly kind: 'tooFew'; readonly limit: number }
  | { readonly kind: 'notInRange'; readonly min: number; readonly max: number };

export const countCharacters = (text: string): number => [...text].length;

export function findHint(descriptor: ParamDescriptor, value: ParamValue | undefined): Hint | null {
  if (value === undefined || isEmpty(value)) return descriptor.required ? { kind: 'required' } : null;
  switch (descriptor.kind) {
    case 'text': {
      const length = countCharacters(String(value));
      if (length > descriptor.maxLength) return { kind: 'tooLong', limit: descriptor.maxLength };
      const { minLength = 0 } = descriptor;
      return length < minLength ? { kind: 'tooShort', limit: minLength } : null;
    }
    case 'seed':
    case 'range': {
      const min = descriptor.kind === 'seed' ? 0 : descriptor.min;
      const isInside = typeof value === 'number' && value >= min && value <= descriptor.max;
      return isInside ? null : { kind: 'notInRange', min, max: descriptor.max };
    }
    case 'media_list':
      return Array.isArray(value) && value.length < descriptor.minItems
        ? { kind: 'tooFew', limit: descriptor.minItems }
        : null;
    default:
      return null;
  }
}

export interface ReadIssues {
  readonly byParam: ReadonlyMap<string, string>;
  /** What no field of the form shows. */
  readonly others: readonly Issue[];
}

/** The refusals of the server by field: `params.images.1` belongs to the field `images`. */
export function readIssues(issues: readonly Issue[], descriptors: readonly ParamDescriptor[]): ReadIssues {
  const names = new Set<string>(descriptors.map(({ name }) => name));
  const byParam = new Map<string, string>();
  const others: Issue[] = [];
  for (const issue of issues) {
    const name = /^params\.([^.]+)/.exec(issue.path)?.[1];
    if (name === undefined || !names.has(name)) others.push(issue);
    else if (!byParam.has(name)) byParam.set(name, issue.message);
  }
  return { byParam, others };
}
