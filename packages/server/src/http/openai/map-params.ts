import type { Issue, ParamName, ParamValue, ParamValues } from '@atelier/contract';
import type { OpenaiUse } from '../../domain/catalog/catalog.ts';
import { type ChosenModel, findPictureParam } from '../../domain/catalog/openai-alias.ts';
import { invalidParams } from '../../platform/problem.ts';
import { chooseSize } from './choose-size.ts';
import { MASK_FIELD } from './read-form.ts';

/** The param that a field sets, if the model has it. */
const PARAMS: Readonly<Record<OpenaiUse, Readonly<Record<string, ParamName>>>> = {
  generations: { prompt: 'prompt', n: 'num_outputs', style: 'style' },
  edits: { prompt: 'prompt', n: 'num_outputs' },
  'masked-edits': { prompt: 'prompt', n: 'num_outputs' },
  variations: { n: 'num_outputs' },
  speech: { input: 'text', voice: 'voice', speed: 'speed', response_format: 'format' },
  transcriptions: { language: 'language' },
  videos: { prompt: 'prompt', seconds: 'duration' },
};

/** Fields of the request itself, which no model sees. */
const OUTSIDE: ReadonlySet<string> = new Set([
  'model',
  'user',
  'safety_identifier',
  'stream',
  'stream_format',
  'partial_images',
  'moderation',
]);

/** Values that ask for what every model does anyway, and OpenAI's defaults that clients send without being told. */
const NEUTRAL: Readonly<Record<string, readonly unknown[]>> = {
  n: [1],
  size: ['auto'],
  quality: ['auto', 'standard'],
  background: ['auto'],
  output_format: ['png'],
  speed: [1],
  temperature: [0],
  prompt: [''],
  instructions: [''],
};

export interface OpenaiRequest {
  readonly use: OpenaiUse;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The files of the request, as uploads. */
  readonly files: ReadonlyArray<{ readonly field: string; readonly id: string }>;
}

/** The params that express a request. A field that the model cannot follow is refused: it would be paid for in vain. */
export function mapParams({ model, alias }: ChosenModel, request: OpenaiRequest): ParamValues {
  const { params: descriptors } = model.entry;
  const params: Partial<Record<ParamName, ParamValue>> = {};
  const issues: Issue[] = [];
  for (const [field, value] of Object.entries(request.fields)) {
    if (OUTSIDE.has(field) || isAnswerFormat(request.use, field)) continue;
    const target = PARAMS[request.use][field];
    const told = alias?.values?.[field]?.[String(value)];
    if (told !== undefined) Object.assign(params, told);
    else if (field === 'size' && value !== 'auto') {
      const size = chooseSize(descriptors, String(value));
      if (size !== null) Object.assign(params, size);
      else if (!alias?.ignore?.includes(field)) issues.push({ path: field, message: 'is not offered by this model' });
    } else if (target !== undefined && descriptors.some(({ name }) => name === target)) {
      params[target] = field === 'seconds' ? Number(value) : (value as ParamValue);
    } else if (!NEUTRAL[field]?.includes(value) && !alias?.ignore?.includes(field)) {
      issues.push({
        path: field,
        message: `${JSON.stringify(value).slice(0, MAX_TOLD)} is not supported by this model`,
      });
    }
  }
  if (issues.length > 0) throw invalidParams('The request is not valid', issues);
  return { ...params, ...mapFiles({ model, alias }, request) };
}

const MAX_TOLD = 40;

/** How the result is sent, which is not the model's concern. */
function isAnswerFormat(use: OpenaiUse, field: string): boolean {
  return field === 'response_format' && use !== 'speech';
}

function mapFiles({ model }: ChosenModel, { use, files }: OpenaiRequest): ParamValues {
  const mask = files.find(({ field }) => field === MASK_FIELD);
  const fileIds = files.filter((file) => file !== mask).map(({ id }) => id);
  const [first] = fileIds;
  if (first === undefined) return {};
  if (use === 'transcriptions') return { audio: first };
  const picture = findPictureParam(model.entry);
  const name = use === 'videos' ? 'input_reference' : 'image';
  if (picture === null) {
    throw invalidParams('The request is not valid', [{ path: name, message: 'is not supported by this model' }]);
  }
  const masked = mask === undefined ? {} : { mask: mask.id };
  if (picture.kind === 'media_list') return { [picture.name]: fileIds, ...masked };
  if (fileIds.length === 1) return { [picture.name]: first, ...masked };
  throw invalidParams('The request is not valid', [{ path: name, message: 'must be one file for this model' }]);
}
