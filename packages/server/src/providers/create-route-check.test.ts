import { join } from 'node:path';
import type { ParamDescriptor } from '@atelier/contract';
import { expect, test } from 'vitest';
import { createRouteCheck } from './create-route-check.ts';
import { readBackends } from './remote/read-backends.ts';

const catalogDir = join(import.meta.dirname, '../../../../catalog');
const params = [
  {
    name: 'prompt',
    kind: 'text',
    required: true,
    maxLength: 100,
    ui: { control: 'prompt', group: 'prompt', order: 1 },
  },
  {
    name: 'aspect_ratio',
    kind: 'enum',
    required: false,
    values: ['1:1', '16:9'],
    ui: { control: 'aspect', group: 'basic', order: 2 },
  },
] as unknown as ParamDescriptor[];
const backends = readBackends(
  JSON.stringify({
    backends: [
      { name: 'images', provider: 'openai', dialect: 'sglang', url: 'http://127.0.0.1:1/v1' },
      { name: 'hosted', provider: 'replicate', url: 'http://127.0.0.1:1/v1', apiKey: 'KEY' },
    ],
  }),
  () => 'secret',
);
const judge = (provider: string, settings: Record<string, unknown>, check = createRouteCheck({ catalogDir })) =>
  check({ provider, settings }, { params }).map(({ path, reason }) => `${path.join('.')}: ${reason}`);

test('checks route settings and map names against the provider schema, lists all errors and names the allowed values', () => {
  const errors = judge('openai', {
    backend: 'images',
    operation: 'paint',
    modle: 'x',
    map: { promt: 'prompt', prompt: { feild: 'prompt', as: 'word' } },
    lookups: [{ field: 'size', by: ['aspect_ratio'], values: { '1:1': 'a', '4:3': 'b' } }],
    accepts: { aspect_ratio: ['1:1', '2:1'] },
  });
  expect(errors).toEqual(
    [
      expect.stringMatching(/^modle: is not a known field; the fields are provider, backend, model, operation, map, /),
      'operation: must be one of images, edits, videos, speech, transcriptions',
      'map.promt: promt is not a param of the model; it has prompt, aspect_ratio',
      'map.prompt: lacks field',
      expect.stringMatching(/^map\.prompt\.feild: is not a known field; the fields are field, as, times, /),
      'map.prompt.as: must be one of text, integer, number',
      'lookups.0.values.4:3: "4:3" is not a choice of aspect_ratio; the choices are 1:1, 16:9',
      'accepts.aspect_ratio: "2:1" is not a choice of aspect_ratio; the choices are 1:1, 16:9',
    ].toSorted((a, b) => errors.findIndex((each) => matches(a, each)) - errors.findIndex((each) => matches(b, each))),
  );
});

function matches(expected: unknown, text: string): boolean {
  return typeof expected === 'string'
    ? expected === text
    : (expected as { asymmetricMatch(t: string): boolean }).asymmetricMatch(text);
}

test('names the providers, the engines, and the places of a workflow', () => {
  expect(judge('opanai', {})).toEqual(['provider: must be one of local, openai, comfyui, cog, fal']);
  expect(judge('local', { engine: 'u3net' })[0]).toMatch(/^engine: must be one of u2net, silueta, modnet, /);
  expect(judge('local', { engine: 'u2net' })).toEqual([]);
  const route = { backend: 'comfyui', workflow: 'workflows/sdxl-inpaint.json' };
  expect(judge('comfyui', { ...route, bind: { prompt: '2.inputs.words' } })[0]).toMatch(
    /^bind\.prompt: node 2 has no place 2\.inputs\.words; it has .*2\.inputs\.text/,
  );
  expect(judge('comfyui', { ...route, outputs: ['77'] })[0]).toMatch(
    /^outputs: the workflow has no node 77; it has 1, /,
  );
  expect(judge('comfyui', { ...route, workflow: 'workflows/none.json' })).toEqual([
    'workflow: there is no file workflows/none.json',
  ]);
  expect(judge('fal', { backend: 'fal', model: 'painter' })[0]).toMatch(/^model: must match/);
});

test('instructions have no effect on tts-1', () => {
  const route = {
    backend: 'speech',
    model: 'tts-1',
    map: { prompt: 'input' },
    constants: { instructions: 'Whisper.' },
  };
  expect(judge('openai', route)).toEqual(['model: instructions have no effect on tts-1']);
  expect(judge('openai', { ...route, model: 'gpt-4o-mini-tts' })).toEqual([]);
});

test('checks that the backends that routes name exist, where they are known', () => {
  const all = createRouteCheck({ catalogDir, backends });
  expect(judge('openai', { backend: 'pictures' }, all)).toEqual([
    'backend: there is no backend pictures with provider openai; the file has images',
  ]);
  expect(judge('cog', { backend: 'hosted' }, all)).toEqual(['backend: a route to Replicate needs version or model']);
  expect(judge('openai', { backend: 'images', map: { prompt: 'mask' } }, all)[0]).toMatch(
    /^backend: SGLang ignores masks/,
  );
  const some = createRouteCheck({ catalogDir, backends, backendsAreAll: false });
  expect(judge('openai', { backend: 'pictures' }, some)).toEqual([]);
});
