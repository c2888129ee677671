import type { ParamDescriptor, ParamName } from '@atelier/contract';
import type { Path, Report } from './report.ts';

type Kind = ParamDescriptor['kind'];
type Control = ParamDescriptor['ui']['control'];

const CONTROLS: Readonly<Record<Kind, readonly Control[]>> = {
  text: ['prompt', 'textarea', 'script', 'lyrics', 'tags'],
  enum: ['aspect', 'segmented', 'select', 'switch', 'voice', 'language', 'effect'],
  range: ['slider', 'segmented', 'expand'],
  seed: ['seed'],
  media: ['image', 'audio', 'video', 'mask'],
  media_list: ['images'],
};

/** Names that imply a kind; clients and providers rely on it. */
const KINDS: { readonly [K in ParamName]?: readonly Kind[] } = {
  prompt: ['text'],
  negative_prompt: ['text'],
  text: ['text'],
  lyrics: ['text'],
  seed: ['seed'],
  images: ['media_list'],
  image: ['media'],
  first_frame: ['media'],
  last_frame: ['media'],
  mask: ['media'],
  garment: ['media'],
  video: ['media'],
  audio: ['media'],
  num_outputs: ['range', 'enum'],
  duration: ['range', 'enum'],
  upscale_factor: ['range', 'enum'],
};

const MAX_OUTPUTS = 16;

/** Checks the consistency of a well-formed descriptor. */
export function checkDescriptor(options: { descriptor: ParamDescriptor; at: Path; report: Report }): void {
  const { descriptor, at, report } = options;
  const { name, kind, ui } = descriptor;
  const kinds = KINDS[name];
  if (kinds !== undefined && !kinds.includes(kind)) report([...at, 'kind'], `${name} must be ${kinds.join(' or ')}`);
  if (!CONTROLS[kind].includes(ui.control)) {
    report([...at, 'ui', 'control'], `must be one of ${CONTROLS[kind].join(', ')} for a param of kind ${kind}`);
  }
  checkBounds(options);
  if (kind === 'media') checkAccept(descriptor, at, report);
  if (name === 'num_outputs') checkOutputs(descriptor, at, report);
}

function checkBounds(options: { descriptor: ParamDescriptor; at: Path; report: Report }): void {
  const { descriptor, at, report } = options;
  switch (descriptor.kind) {
    case 'text':
      if ((descriptor.minLength ?? 1) > descriptor.maxLength) report([...at, 'minLength'], 'is above maxLength');
      break;
    case 'range':
      if (descriptor.min > descriptor.max) report([...at, 'min'], 'is above max');
      else if (descriptor.step > descriptor.max - descriptor.min && descriptor.min !== descriptor.max) {
        report([...at, 'step'], 'is larger than the whole range');
      }
      break;
    case 'seed':
      if (!Number.isSafeInteger(descriptor.max)) report([...at, 'max'], 'is too large to be exact');
      break;
    case 'media_list':
      if (descriptor.minItems > descriptor.maxItems) report([...at, 'minItems'], 'is above maxItems');
      break;
    case 'enum':
      if (new Set(descriptor.values).size !== descriptor.values.length) report([...at, 'values'], 'has a value twice');
      if (descriptor.ui.control === 'switch' && !descriptor.values.every((value) => typeof value === 'boolean')) {
        report([...at, 'values'], 'must be booleans for a switch');
      }
      break;
  }
}

function checkAccept(descriptor: Extract<ParamDescriptor, { kind: 'media' }>, at: Path, report: Report): void {
  const { name, accept } = descriptor;
  const meant = name === 'video' || name === 'audio' ? name : KINDS[name] === undefined ? accept : 'image';
  if (accept !== meant) report([...at, 'accept'], `${name} must accept ${meant}`);
}

/** The price is a multiple of the number of outputs, so that number must be an integer with a maximum. */
function checkOutputs(descriptor: ParamDescriptor, at: Path, report: Report): void {
  const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_OUTPUTS;
  const values =
    descriptor.kind === 'range'
      ? [descriptor.min, descriptor.max, descriptor.step]
      : descriptor.kind === 'enum'
        ? descriptor.values
        : [];
  if (!values.every(isCount)) report(at, `num_outputs must be whole numbers from 1 to ${MAX_OUTPUTS}`);
}
