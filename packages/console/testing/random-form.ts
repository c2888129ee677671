import type { Model, ParamDescriptor, ParamName, ParamValue, ParamValues } from '@atelier/contract';

/** A source of choices; the same seed makes the same forms. */
interface Random {
  between(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
}

/** Uploads that every media param can take. */
export interface Uploads {
  readonly images: readonly string[];
  readonly video: string;
  readonly audio: string;
}

const WORDS = ['harbour', 'at dawn', 'a red kite', 'Füße', '日本', 'rain & wind', '“quoted”', '<b>', '🙂'];

/** A form that the model accepts: every required param, and about half of the others. */
export function makeForm(random: Random, model: Model, uploads: Uploads): ParamValues {
  const params: Partial<Record<ParamName, ParamValue>> = {};
  for (const descriptor of model.params) {
    if (descriptor.required || random.chance(0.5)) params[descriptor.name] = makeValue(random, descriptor, uploads);
  }
  return params;
}

function makeValue(random: Random, descriptor: ParamDescriptor, uploads: Uploads): ParamValue {
  switch (descriptor.kind) {
    case 'text':
      return makeText(random, descriptor);
    case 'enum':
      return random.pick(descriptor.values);
    case 'range': {
      const { min, max, step } = descriptor;
      const steps = Math.floor((max - min) / step + 1e-9);
      return Number((min + step * random.between(0, steps)).toFixed(6));
    }
    case 'seed':
      return random.between(0, Math.min(descriptor.max, 2 ** 31 - 1));
    case 'media':
      return descriptor.accept === 'image' ? uploads.images[0]! : uploads[descriptor.accept];
    case 'media_list': {
      const most = Math.min(descriptor.maxItems, uploads.images.length);
      return uploads.images.slice(0, random.between(Math.max(1, descriptor.minItems), most));
    }
  }
}

function makeText(random: Random, { minLength = 1, maxLength }: Extract<ParamDescriptor, { kind: 'text' }>): string {
  const wanted = random.between(minLength, Math.min(maxLength, minLength + 40));
  let text = '';
  while ([...text].length < wanted) text += `${random.pick(WORDS)} `;
  // Without spaces at the ends, which a field may drop.
  return [...text.trim()].slice(0, wanted).join('').trim().padEnd(minLength, 'x');
}
