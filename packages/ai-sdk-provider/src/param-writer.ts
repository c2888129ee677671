import { type SharedV4Warning, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { MediaSource, Model, ParamDescriptor, ParamName } from '@atelier/sdk';

export interface ParamWriter {
  readonly params: Partial<Record<ParamName, unknown>>;
  readonly warnings: SharedV4Warning[];
  find(name: ParamName): ParamDescriptor | undefined;
  /** Sets a param if the model takes the value; otherwise the result has a warning. */
  set(name: ParamName, value: string | number | undefined, feature: string): void;
  /** Throws if the model cannot take the files: a result without them would be paid for in vain. */
  attach(names: readonly ParamName[], files: readonly MediaSource[], feature: string): void;
  warn(type: 'unsupported' | 'compatibility', feature: string, details: string): void;
}

/** Collects the params of a request from settings that the model may or may not have. */
export function createParamWriter(model: Model): ParamWriter {
  const params: ParamWriter['params'] = {};
  const warnings: SharedV4Warning[] = [];
  const find = (name: ParamName) => model.params.find((param) => param.name === name);
  const warn: ParamWriter['warn'] = (type, feature, details) => void warnings.push({ type, feature, details });
  return {
    params,
    warnings,
    find,
    warn,
    set(name, value, feature) {
      if (value === undefined) return;
      const param = find(name);
      const objection = param === undefined ? `Model ${model.id} has no such param.` : findObjection(param, value);
      if (objection === null) params[name] = value;
      else warn('unsupported', feature, objection);
    },
    attach(names, files, feature) {
      if (files.length === 0) return;
      const param = names.map(find).find((found) => found !== undefined);
      const most = param?.kind === 'media_list' ? param.maxItems : param === undefined ? 0 : 1;
      if (param === undefined || files.length > most) {
        const message = `Model ${model.id} takes at most ${most} ${feature}.`;
        throw new UnsupportedFunctionalityError({ functionality: feature, message });
      }
      params[param.name] = param.kind === 'media_list' ? files : files[0];
    },
  };
}

/** What is wrong with the value, or null. Texts are left to the service, whose message is better than a warning. */
function findObjection(param: ParamDescriptor, value: string | number): string | null {
  if (param.kind === 'enum' && !param.values.includes(value)) return `It must be one of: ${param.values.join(', ')}.`;
  const number = Number(value);
  if (param.kind === 'range' && !(number >= param.min && number <= param.max)) {
    return `It must be from ${param.min} to ${param.max}.`;
  }
  if (param.kind === 'seed' && !(Number.isInteger(number) && number >= 0 && number <= param.max)) {
    return `It must be a whole number from 0 to ${param.max}.`;
  }
  return null;
}
