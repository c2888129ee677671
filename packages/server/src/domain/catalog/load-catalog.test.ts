import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadCatalog } from './load-catalog.ts';
import { change, createSampleDir, EFFECTS, errorsOf, loadSample, MODELS } from './testing/sample-files.ts';

let dir: string;
beforeEach(async () => {
  dir = await createSampleDir();
});
afterEach(() => rm(dir, { recursive: true }));

describe('valid files', () => {
  test('give models and effects in display order', async () => {
    const catalog = await loadSample(dir);
    expect([...catalog.models.keys()]).toEqual(['painter', 'canvas']);
    expect([...catalog.effects.keys()]).toEqual(['glow', 'sketch']);
  });

  test('an entry holds what clients see, a model what the service needs', async () => {
    const { models, effects } = await loadSample(dir);
    const { entry, ...rest } = models.get('canvas')!;
    expect(entry).toMatchObject({ listingId: 'studio', vendor: 'Nobody', modality: 'image', priceFromCoins: 7 });
    expect(Object.keys(entry)).not.toContain('inputLimits');
    expect(rest).toMatchObject({
      deadlineSeconds: 60,
      closed: false,
      routes: [
        { provider: 'local', settings: { engine: 'onnx', threads: 2 } },
        { provider: 'openai', settings: {} },
      ],
    });
    expect(models.get('painter')?.entry).toMatchObject({
      priceFromCoins: null,
      defaults: {},
      inputLimits: { maxInputBytes: 100 },
    });
    expect(effects.get('glow')).toEqual({
      entry: {
        id: 'glow',
        kind: 'image',
        category: 'style',
        nameKey: 'effects.glow.name',
        thumbnail: null,
        input: { type: 'images', min: 1, max: 1 },
        modelId: 'painter',
      },
      surchargeCoins: 4,
      settings: {},
      prompt: 'Glow.',
    });
  });

  test('a required text publishes minLength 1', async () => {
    const { models } = await loadSample(dir);
    expect(models.get('canvas')?.entry.params[0]).toMatchObject({ name: 'prompt', required: true, minLength: 1 });
    const longer = await loadSample(dir, { models: change(MODELS, 'maxLength: 100', 'minLength: 3, maxLength: 100') });
    expect(longer.models.get('canvas')?.entry.params[0]).toMatchObject({ minLength: 3 });
    const optional = change(MODELS, 'kind: text, required: true', 'kind: text, required: false');
    expect((await loadSample(dir, { models: optional })).models.get('canvas')?.entry.params[0]).not.toHaveProperty(
      'minLength',
    );
  });

  test('a loaded catalog is immutable', async () => {
    const { entry } = (await loadSample(dir)).models.get('canvas')!;
    expect(() => Object.assign(entry.defaults, { style: 'oil' })).toThrow(TypeError);
    expect(() => entry.params.push(entry.params[0]!)).toThrow(TypeError);
  });

  test('the version depends on the names and bytes of the files', async () => {
    const first = (await loadSample(dir)).version;
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect((await loadSample(dir)).version).toBe(first);
    const dearer = change(MODELS, 'perOutput: 7', 'perOutput: 8');
    expect((await loadSample(dir, { models: dearer })).version).not.toBe(first);
    expect((await loadSample(dir, { effects: `${EFFECTS}# a remark\n` })).version).not.toBe(first);
  });

  test('hidden files are ignored, and effects may be absent', async () => {
    await loadSample(dir);
    await writeFile(join(dir, 'models/.studio.yaml'), 'nonsense: [');
    await rm(join(dir, 'effects'), { recursive: true });
    expect((await loadCatalog(dir)).effects.size).toBe(0);
  });

  test('an alias may contain itself', async () => {
    const models = change(MODELS, '{ provider: openai }', '&r { provider: openai, again: *r }');
    expect(await errorsOf({ models }, dir)).toEqual([]);
  });
});

describe('invalid files', () => {
  test('an empty file', async () => {
    expect(await errorsOf({ models: '' }, dir)).toEqual(['models/studio.yaml:1: the file: must be object']);
  });

  test('errors of all files are reported together, one per line of the message', async () => {
    const files = {
      models: change(MODELS, 'style: ink,', 'style: chalk,'),
      effects: change(EFFECTS, 'max: 3', 'max: 4'),
    };
    const errors = [
      'models/studio.yaml:16: models.0.defaults.style: must be one of "ink", "oil"',
      'effects/all.yaml:2: effects.0.input.max: the model painter takes at most 3',
    ];
    expect(await errorsOf(files, dir)).toEqual(errors);
    await expect(loadSample(dir, files)).rejects.toThrow(errors.join('\n'));
  });

  test('an invalid model causes no errors in its effects', async () => {
    expect(await errorsOf({ models: change(MODELS, 'id: painter', 'id: painter\n    extra: 1') }, dir)).toEqual([
      'models/studio.yaml:20: models.1.extra: is not a known field',
    ]);
  });

  test('a file that ends in .yml, a folder without models', async () => {
    await writeFile(join(dir, 'models/other.yml'), MODELS);
    expect(await errorsOf({}, dir)).toEqual(['models/other.yml:1: must end in .yaml']);
    await rm(join(dir, 'models'), { recursive: true });
    await expect(loadCatalog(dir)).rejects.toThrow('models:1: no file describes a model');
  });

  test('a file of more than a million bytes', async () => {
    expect(await errorsOf({ models: `${MODELS}#${'x'.repeat(1_048_576)}` }, dir)).toEqual([
      'models/studio.yaml:1: is larger than 1048576 bytes',
    ]);
  });

  test('aliases that expand exponentially', async () => {
    const [x, a, b, c] = ['x', '*a', '*b', '*c'].map((item) => `[${`${item},`.repeat(50)}]`);
    const [error] = await errorsOf({ models: `a: &a ${x}\nb: &b ${a}\nc: &c ${b}\nd: ${c}\n` }, dir);
    expect(error).toMatch(/^models\/studio\.yaml:1: Excessive alias count/);
  });
});
