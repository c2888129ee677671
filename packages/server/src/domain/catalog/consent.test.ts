import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCatalog } from './load-catalog.ts';
import { needsConsent } from './needs-consent.ts';
import { errorsOf, MODELS } from './testing/sample-files.ts';

const catalog = await loadCatalog(resolve(import.meta.dirname, '../../../../../catalog'));

describe('the shipped catalog', () => {
  const asks = (modelId: string, param: string) => {
    const { entry } = catalog.models.get(modelId)!;
    return needsConsent(entry, [{ param: param as 'video' }]);
  };

  test.each([
    ['clip-maker', 'first_frame'],
    ['video-restyle', 'video'],
    ['video-continue', 'video'],
    ['animate-scene', 'image'],
    ['prompt-edit', 'image'],
    ['prompt-restyle', 'image'],
    ['prompt-inpaint', 'image'],
    ['collage', 'images'],
  ])('%s asks for consent with %s', (modelId, param) => {
    expect(asks(modelId, param)).toBe(true);
  });

  test('clip-maker does not ask for a request with a prompt only, and tells clients when it does', () => {
    const { entry } = catalog.models.get('clip-maker')!;
    expect(needsConsent(entry, [])).toBe(false);
    expect(entry.consent).toEqual({ when: ['first_frame'] });
    expect(catalog.models.get('try-on')!.entry.consent).toEqual({ when: null });
    expect(catalog.models.get('canvas')!.entry.consent).toBeUndefined();
  });

  test('engines that only filter or loop a film do not ask', () => {
    for (const modelId of ['ffmpeg-video-loop', 'gmic-style-transfer', 'film-look', 'migan-inpaint']) {
      expect(catalog.models.get(modelId)!.entry.consent, modelId).toBeUndefined();
    }
  });
});

describe('a catalog', () => {
  interface Row {
    readonly consent: string;
    readonly params: string;
    readonly route?: string;
  }
  const rowOf = (task: string, options: Row) => `  - id: studio
    displayName: Studio
    taskType: ${task}
    workspace: tools
    order: 1
    deadlineSeconds: 60
    consent: ${options.consent}
    params:
      - { name: prompt, kind: text, required: true, maxLength: 100, ui: { control: prompt, group: prompt, order: 1 } }
${options.params}
    price: { perOutput: 7 }
    routes: [${options.route ?? '{ provider: openai }'}]
`;
  const media = (name: string, accept = 'image') =>
    `      - { name: ${name}, kind: media, accept: ${accept}, required: false, ui: { control: image, group: inputs, order: 2 } }`;
  /** The errors of the third model, below those of the sample. */
  const errors = async (task: string, options: Row) =>
    (await errorsOf({ models: `${MODELS}${rowOf(task, options)}` })).map((each) => each.replace(/^.*?models\.2\./, ''));

  test.each([
    ['video.generate', 'first_frame', 'image'],
    ['video.generate', 'video', 'video'],
    ['video.v2v', 'video', 'video'],
    ['video.extend', 'video', 'video'],
    ['video.effect', 'video', 'video'],
    ['image.edit', 'image', 'image'],
    ['image.inpaint', 'image', 'image'],
    ['image.restyle', 'image', 'image'],
    ['image.effect', 'image', 'image'],
  ])('is refused if %s with %s asks for no consent', async (task, name, accept) => {
    const params = media(name, accept);
    const reason = `consent: must be true or have ${name} in when: the model changes or animates what it shows`;
    expect(await errors(task, { consent: 'false', params })).toEqual([reason]);
    for (const consent of ['true', `{ when: [${name}] }`]) expect(await errors(task, { consent, params })).toEqual([]);
  });

  test('is refused if one of two images is missing, and the mask is no image of a person', async () => {
    const params = [media('first_frame'), media('last_frame'), media('mask')].join('\n');
    expect(await errors('video.generate', { consent: '{ when: [first_frame] }', params })).toEqual([
      'consent: must be true or have last_frame in when: the model changes or animates what it shows',
    ]);
    expect(await errors('video.generate', { consent: '{ when: [first_frame, last_frame] }', params })).toEqual([]);
  });

  test('may leave consent out for a model that runs on an engine which does neither', async () => {
    const params = media('video', 'video');
    const route = '{ provider: local, engine: ffmpeg-video }';
    expect(await errors('video.extend', { consent: 'false', params, route })).toEqual([]);
  });

  test('is refused if consent depends on something that is no upload, or if the task always asks for it', async () => {
    expect(await errors('image.generate', { consent: '{ when: [prompt] }', params: '' })).toEqual([
      'consent.when.0: prompt is no media param of this model',
    ]);
    expect(await errors('image.try-on', { consent: '{ when: [image] }', params: media('image') })).toEqual([
      'consent: must be true for the task image.try-on',
    ]);
  });
});
