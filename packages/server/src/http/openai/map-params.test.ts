import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OpenaiUse } from '../../domain/catalog/catalog.ts';
import { judgeParams } from '../../domain/catalog/check-params.ts';
import { loadCatalog } from '../../domain/catalog/load-catalog.ts';
import { chooseOpenaiModel } from '../../domain/catalog/openai-alias.ts';
import { mapParams } from './map-params.ts';

const catalog = await loadCatalog(resolve(import.meta.dirname, '../../../../../catalog'));
const UPLOAD = '0198c5b2-7c1a-7def-8abc-0123456789ab';

/** The model and the params of a request, as the day-one catalog answers it. */
function map(use: OpenaiUse, fields: Record<string, unknown>, fileIds: readonly string[] = []) {
  // The last file of a masked edit is the mask.
  const isMask = (n: number) => use === 'masked-edits' && n === fileIds.length - 1;
  const files = fileIds.map((id, n) => ({ field: isMask(n) ? 'mask' : 'image', id }));
  const chosen = chooseOpenaiModel(catalog, { use, name: fields.model as string | undefined, at: new Date() });
  const params = mapParams(chosen, { use, fields, files });
  return { modelId: chosen.model.entry.id, params, chosen };
}

describe('requests of the official clients', () => {
  test.each([
    ['generations', { prompt: 'x' }, [], 'canvas', { prompt: 'x' }],
    [
      'generations',
      { model: 'gpt-image-1', prompt: 'x', n: 2, size: '1536x1024', quality: 'high', output_format: 'webp', user: 'u' },
      [],
      'canvas',
      { prompt: 'x', num_outputs: 2, aspect_ratio: '3:2', resolution: '1k' },
    ],
    [
      'generations',
      {
        model: 'dall-e-3',
        prompt: 'x',
        n: 1,
        size: '1024x1024',
        quality: 'hd',
        style: 'vivid',
        response_format: 'url',
      },
      [],
      'canvas',
      { prompt: 'x', num_outputs: 1, aspect_ratio: '1:1', resolution: '2k', style: 'illustration' },
    ],
    [
      'generations',
      { model: 'canvas', prompt: 'x', style: 'ink', size: 'auto' },
      [],
      'canvas',
      { prompt: 'x', style: 'ink' },
    ],
    [
      'generations',
      { model: 'canvas', prompt: 'x', output_format: 'png', background: 'auto', safety_identifier: 'u' },
      [],
      'canvas',
      { prompt: 'x' },
    ],
    [
      'generations',
      { model: 'gpt-image-2', prompt: 'x', quality: 'max', output_format: 'webp', output_compression: 90 },
      [],
      'canvas',
      { prompt: 'x' },
    ],
    [
      'edits',
      { prompt: 'x', size: '1024x1024' },
      [UPLOAD, UPLOAD],
      'collage',
      { prompt: 'x', images: [UPLOAD, UPLOAD] },
    ],
    ['edits', { model: 'prompt-edit', prompt: 'x', n: 1 }, [UPLOAD], 'prompt-edit', { prompt: 'x', image: UPLOAD }],
    [
      'masked-edits',
      { model: 'gpt-image-1', prompt: 'x', size: '1024x1024' },
      [UPLOAD, UPLOAD],
      'prompt-inpaint',
      { prompt: 'x', image: UPLOAD, mask: UPLOAD },
    ],
    ['variations', { model: 'gmic-sketch' }, [UPLOAD], 'gmic-sketch', { image: UPLOAD }],
    [
      'speech',
      { model: 'tts-1', input: 'Hi', voice: 'onyx', speed: 1.5, response_format: 'mp3' },
      [],
      'voice',
      { text: 'Hi', voice: 'bruno', speed: 1.5 },
    ],
    ['speech', { model: 'voice', input: 'Hi', voice: 'alba' }, [], 'voice', { text: 'Hi', voice: 'alba' }],
    [
      'transcriptions',
      { model: 'whisper-1', language: 'de', temperature: 0.2, response_format: 'srt' },
      [UPLOAD],
      'scribe',
      { audio: UPLOAD, language: 'de' },
    ],
    [
      'videos',
      { prompt: 'x', seconds: '4', size: '1280x720' },
      [UPLOAD],
      'clip-maker',
      { prompt: 'x', duration: 4, aspect_ratio: '16:9', resolution: '720p', first_frame: UPLOAD },
    ],
  ] as const)('%s %j', (use, fields, fileIds, modelId, params) => {
    const mapped = map(use, fields, fileIds);
    expect(mapped).toMatchObject({ modelId });
    expect(mapped.params).toEqual(params);
    const { issues } = judgeParams({ model: mapped.chosen.model, effect: null, params: mapped.params, draft: false });
    expect(issues).toEqual([]);
  });
});

describe('what a model cannot follow is refused', () => {
  test.each([
    ['generations', { model: 'canvas', prompt: 'x', quality: 'high' }, [], 'quality'],
    ['generations', { model: 'canvas', prompt: 'x', background: 'transparent' }, [], 'background'],
    ['generations', { model: 'canvas', prompt: 'x', output_format: 'jpeg' }, [], 'output_format'],
    ['generations', { model: 'canvas', prompt: 'x', output_compression: 90 }, [], 'output_compression'],
    ['generations', { model: 'canvas', prompt: 'x', size: '4000x500' }, [], 'size'],
    ['edits', { model: 'prompt-edit', prompt: 'x' }, [UPLOAD, UPLOAD], 'image'],
    ['edits', { model: 'prompt-edit', prompt: 'x', n: 2 }, [UPLOAD], 'n'],
    ['speech', { model: 'voice', input: 'x', response_format: 'opus' }, [], 'response_format'],
    ['speech', { model: 'tts-1', input: 'x', instructions: 'softly' }, [], 'instructions'],
    ['transcriptions', { model: 'whisper-base', temperature: 0.5 }, [UPLOAD], 'temperature'],
    ['videos', { model: 'icon3d-turntable', prompt: 'x' }, [UPLOAD], 'input_reference'],
  ] as const)('%s %j', (use, fields, fileIds, field) => {
    expect(() => map(use, fields, fileIds)).toThrow(
      expect.objectContaining({ code: 'invalid_params', issues: [expect.objectContaining({ path: field })] }),
    );
  });
});

test('a model for another use, an unknown one and a missing one are refused', () => {
  expect(() => map('speech', { model: 'canvas', input: 'x' })).toThrow(
    expect.objectContaining({ code: 'invalid_params' }),
  );
  expect(() => map('speech', { model: 'gpt-4', input: 'x' })).toThrow(
    expect.objectContaining({ code: 'unknown_model' }),
  );
  expect(() => map('variations', {}, [UPLOAD])).toThrow(
    expect.objectContaining({ issues: [{ path: 'model', message: 'is required' }] }),
  );
});
