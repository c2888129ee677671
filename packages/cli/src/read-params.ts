import type { Model, ParamDescriptor, ParamName, ParamValue } from '@atelier/sdk';
import { UsageError } from './exit-code.ts';

/** The id of an upload has no dot and no slash, so everything else is a file. */
const UPLOAD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export interface GivenParams {
  readonly prompt: string | undefined;
  /** `name=value`. */
  readonly values: readonly string[];
  /** `name=file`, or the file alone for the first media param of the model. */
  readonly inputs: readonly string[];
}

export interface ReadParams {
  readonly params: Partial<Record<ParamName, ParamValue>>;
  readonly files: readonly { readonly param: ParamName; readonly path: string; readonly isList: boolean }[];
}

/** Turns the words of a command line into params, by the descriptors of the model. */
export function readParams(model: Pick<Model, 'id' | 'params'>, given: GivenParams): ReadParams {
  const params: Partial<Record<ParamName, ParamValue>> = {};
  const files: { param: ParamName; path: string; isList: boolean }[] = [];
  if (given.prompt !== undefined) params[findPromptParam(model)] = given.prompt;
  for (const pair of given.values) {
    const [name, value] = split(pair);
    const descriptor = find(model, name);
    if (isMedia(descriptor)) addMedia(descriptor, value);
    else params[descriptor.name] = readValue(descriptor, value);
  }
  for (const input of given.inputs) {
    const known = /^([a-z_]+)=(.+)$/.exec(input);
    const named = known === null ? undefined : model.params.find(({ name }) => name === known[1]);
    const descriptor = named ?? model.params.find(isMedia);
    if (descriptor === undefined || !isMedia(descriptor)) throw new UsageError(`${model.id} takes no input files`);
    addMedia(descriptor, named === undefined ? input : known![2]!);
  }
  return { params, files };

  function addMedia(descriptor: ParamDescriptor, value: string): void {
    const isList = descriptor.kind === 'media_list';
    if (!UPLOAD_ID.test(value)) files.push({ param: descriptor.name, path: value, isList });
    else if (isList) params[descriptor.name] = [...((params[descriptor.name] as string[]) ?? []), value];
    else params[descriptor.name] = value;
  }
}

const isMedia = ({ kind }: ParamDescriptor) => kind === 'media' || kind === 'media_list';

function findPromptParam(model: Pick<Model, 'id' | 'params'>): ParamName {
  const found = (['prompt', 'text'] as const).find((name) => model.params.some((each) => each.name === name));
  if (found === undefined) throw new UsageError(`${model.id} takes no prompt`);
  return found;
}

function split(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`not name=value: ${pair}`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function find(model: Pick<Model, 'id' | 'params'>, name: string): ParamDescriptor {
  const found = model.params.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = model.params.map((each) => each.name.replaceAll('_', '-')).join(', ');
  throw new UsageError(`${model.id} has no param ${name.replaceAll('_', '-')}. It has: ${names}`);
}

function readValue(descriptor: ParamDescriptor, text: string): ParamValue {
  if (descriptor.kind === 'range' || descriptor.kind === 'seed') {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`${descriptor.name} must be a number`);
    return value;
  }
  if (descriptor.kind !== 'enum') return text;
  const value = descriptor.values.find((each) => String(each) === text);
  if (value === undefined) {
    throw new UsageError(`${descriptor.name} must be one of ${descriptor.values.join(', ')}`);
  }
  return value;
}
