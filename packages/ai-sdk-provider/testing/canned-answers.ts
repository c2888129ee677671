import type { Model } from '@atelier/sdk';
import { type AtelierProvider, type AtelierProviderOptions, createAtelier } from '../src/create-atelier.ts';

const ui = { control: 'prompt', group: 'basic', order: 1 } as const;
const choice = (name: string, values: readonly string[]) => ({ name, kind: 'enum', required: false, values, ui });
const PROMPT = { name: 'prompt', kind: 'text', required: true, maxLength: 100, ui };

const MODELS = {
  painter: {
    modality: 'image',
    taskType: 'image.generate',
    params: [
      PROMPT,
      choice('aspect_ratio', ['1:1', '3:2', '16:9']),
      choice('resolution', ['1k', '2k']),
      { name: 'num_outputs', kind: 'range', required: false, min: 1, max: 2, step: 1, ui },
      { name: 'seed', kind: 'seed', required: false, max: 1000, ui },
    ],
  },
  upscaler: {
    modality: 'image',
    taskType: 'image.upscale',
    params: [{ name: 'image', kind: 'media', accept: 'image', required: true, ui }],
  },
  collage: {
    modality: 'image',
    taskType: 'image.edit',
    params: [
      PROMPT,
      { name: 'images', kind: 'media_list', accept: 'image', minItems: 1, maxItems: 2, required: true, ui },
    ],
  },
  reader: {
    modality: 'audio',
    taskType: 'audio.tts',
    params: [
      { name: 'text', kind: 'text', required: true, maxLength: 100, ui },
      choice('voice', ['alba']),
      { name: 'speed', kind: 'range', required: false, min: 0.5, max: 2, step: 0.1, ui },
    ],
  },
  scribe: {
    modality: 'audio',
    taskType: 'audio.stt',
    params: [{ name: 'audio', kind: 'media', accept: 'audio', required: true, ui }],
  },
} as unknown as Record<string, Pick<Model, 'modality' | 'taskType' | 'params'>>;

const ADDRESS = 'http://service.test';
const SRT = '1\n00:00:00,000 --> 00:00:01,500\nHello\nthere\n\n2\n00:00:02,000 --> 00:01:03,250\nBye\n';
const FILE = new TextEncoder().encode('the file');

export interface CannedService {
  readonly atelier: AtelierProvider;
  /** The bodies of the submits. */
  readonly submits: { modelId: string; maxCoins: number; params: Record<string, unknown> }[];
  /** What was sent, as 'METHOD /path'. */
  readonly seen: string[];
}

/** A provider whose client gets answers from memory: every generation has succeeded when it is created. */
export function createCannedService(
  options: AtelierProviderOptions & {
    /** Answers a submit in another way. */
    submit?: () => Response;
  } = {},
): CannedService {
  const submits: CannedService['submits'] = [];
  const seen: string[] = [];
  const answer = (operation: string, body: string): Response => {
    const id = operation.split('/').at(-1) as string;
    if (operation.startsWith('GET /v1/models/')) {
      const model = MODELS[id];
      return model === undefined ? problem(404, 'unknown_model') : Response.json({ id, ...model });
    }
    if (operation === 'POST /v1/uploads') return Response.json({ id: `upload-${seen.length}` });
    if (operation === 'GET /file') return new Response(FILE);
    if (operation === 'GET /srt') return new Response(SRT);
    if (operation !== 'POST /v1/generations') return problem(404, 'not_found');
    submits.push(JSON.parse(body));
    return options.submit?.() ?? Response.json(generationOf(submits.at(-1)!));
  };
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const operation = `${init.method ?? 'GET'} ${new URL(String(input)).pathname}`;
    seen.push(operation);
    return answer(operation, String(init.body));
  };
  const { submit: _submit, ...settings } = options;
  const atelier = createAtelier({ baseUrl: ADDRESS, apiKey: 'key', maxCoins: 50, maxRetries: 0, fetch, ...settings });
  return { atelier, submits, seen };
}

export const problem = (status: number, code: string) =>
  Response.json({ type: code, title: code, status, detail: `because ${code}`, code }, { status });

export function generationOf({ modelId, params }: CannedService['submits'][number], more: object = {}): object {
  const count = Number(params.num_outputs ?? 1);
  const output = { url: `${ADDRESS}/file`, mimeType: 'image/png', width: 8, height: 8, durationSeconds: null };
  const subtitles = modelId === 'scribe' ? { srtUrl: `${ADDRESS}/srt`, vttUrl: `${ADDRESS}/vtt` } : null;
  const outputs = Array.from({ length: count }, (_, index) => ({ ...output, id: `asset-${index}`, subtitles }));
  return {
    id: 'generation-1',
    modelId,
    status: 'succeeded',
    createdAt: '2026-01-01T00:00:00.000Z',
    coinsCharged: 7 * count,
    outputs,
    error: null,
    ...more,
  };
}
