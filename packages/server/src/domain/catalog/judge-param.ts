import { type Issue, type ParamDescriptor, UUID_PATTERN } from '@atelier/contract';
import { countCodePoints } from '../../platform/text.ts';

type Of<K extends ParamDescriptor['kind']> = Extract<ParamDescriptor, { kind: K }>;

const UPLOAD_ID = new RegExp(UUID_PATTERN);
const STEP_SLACK = 1e-9;
const MAX_CHOICES_TOLD = 12;

/** The issues of a value; empty if the descriptor allows it. */
export function judgeParam(options: { descriptor: ParamDescriptor; value: unknown; path: string }): readonly Issue[] {
  const { descriptor, value, path } = options;
  if (descriptor.kind === 'media_list') return judgeMediaList(descriptor, value, path);
  const message = judge(descriptor, value);
  return message === null ? [] : [{ path, message }];
}

function judge(descriptor: Exclude<ParamDescriptor, { kind: 'media_list' }>, value: unknown): string | null {
  switch (descriptor.kind) {
    case 'text':
      return judgeText(descriptor, value);
    case 'enum':
      return (descriptor.values as unknown[]).includes(value) ? null : describeChoices(descriptor.values);
    case 'range':
      return judgeRange(descriptor, value);
    case 'seed':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= descriptor.max
        ? null
        : `must be a whole number from 0 to ${descriptor.max}`;
    case 'media':
      return isUploadId(value) ? null : NO_UPLOAD_ID;
  }
}

function judgeText(descriptor: Of<'text'>, value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (descriptor.required && value === '') return 'must not be empty';
  const length = countCodePoints(value);
  if (length > descriptor.maxLength) return `must have at most ${descriptor.maxLength} characters`;
  if (descriptor.minLength !== undefined && length < descriptor.minLength) {
    return `must have at least ${descriptor.minLength} characters`;
  }
  return null;
}

function judgeRange({ min, max, step }: Of<'range'>, value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (value < min) return `must be at least ${min}`;
  if (value > max) return `must be at most ${max}`;
  const steps = (value - min) / step;
  return Math.abs(steps - Math.round(steps)) <= STEP_SLACK ? null : `must be ${min} plus a multiple of ${step}`;
}

function judgeMediaList({ minItems, maxItems }: Of<'media_list'>, value: unknown, path: string): readonly Issue[] {
  if (!Array.isArray(value)) return [{ path, message: 'must be an array of upload ids' }];
  // A list that is far too long is not checked item by item.
  if (value.length > maxItems) return [{ path, message: `must have at most ${maxItems} items` }];
  const issues = value.flatMap((item, index) =>
    isUploadId(item) ? [] : [{ path: `${path}.${index}`, message: NO_UPLOAD_ID }],
  );
  return value.length < minItems ? [{ path, message: `must have at least ${minItems} items` }, ...issues] : issues;
}

const NO_UPLOAD_ID = 'must be the id of an upload';

function isUploadId(value: unknown): value is string {
  return typeof value === 'string' && UPLOAD_ID.test(value);
}

function describeChoices(values: Of<'enum'>['values']): string {
  if (values.length > MAX_CHOICES_TOLD) return 'is not one of the values of this param';
  return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
}
