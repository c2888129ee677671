import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CatalogError } from './catalog-error.ts';
import { loadCatalog } from './load-catalog.ts';

const MODELS = `listing: studio
vendor: Nobody
models:
  - id: canvas
    displayName: Canvas
    taskType: image.generate
    workspace: image
    order: 2
    deadlineSeconds: 60
    consent: false
    params:
      - { name: prompt, kind: text, required: true, maxLength: 100, ui: { control: prompt, group: prompt, order: 1 } }
      - { name: style, kind: enum, required: false, values: [ink, oil], ui: { control: select, group: basic, order: 2 } }
      - { name: speed, kind: range, required: false, min: 0, max: 1, step: 0.1, ui: { control: slider, group: basic, order: 3 } }
      - { name: seed, kind: seed, required: false, max: 10, ui: { control: seed, group: advanced, order: 4 } }
    defaults: { style: ink, speed: 0.3 }
    price: { perOutput: 7, lines: [{ label: Oil, coins: 2, when: { style: oil } }] }
    routes: [{ provider: local, engine: onnx, threads: 2 }, { provider: openai }]
  - id: painter
    displayName: Painter
    taskType: image.effect
    workspace: tools
    order: 1
    deadlineSeconds: 60
    consent: false
    params:
      - { name: images, kind: media_list, accept: image, required: true, minItems: 1, maxItems: 3, ui: { control: images, group: inputs, order: 1 } }
    inputLimits: { maxInputBytes: 100 }
    price: { perOutput: 3, lines: [{ label: Size, coins: 2, per: megapixel, of: images }] }
    routes: []
`;
const EFFECTS = `effects:
  - { id: sketch, kind: image, category: style, order: 2, modelId: painter, input: { type: images, min: 1, max: 3 } }
  - { id: glow, kind: image, category: style, order: 1, modelId: painter, input: { type: images, min: 1, max: 1 }, surchargeCoins: 4, prompt: Glow. }
`;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'catalog-'));
  await mkdir(join(dir, 'models'));
  await mkdir(join(dir, 'effects'));
});
afterEach(() => rm(dir, { recursive: true }));

async function load({ models = MODELS, effects = EFFECTS }: { models?: string; effects?: string } = {}) {
  await writeFile(join(dir, 'models/studio.yaml'), models);
  await writeFile(join(dir, 'effects/all.yaml'), effects);
  return loadCatalog(dir);
}

async function faultsOf(files: { models?: string; effects?: string } = {}): Promise<string[]> {
  const error = await load(files).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) return [];
  if (!(error instanceof CatalogError)) throw error;
  expect(error.message.split('\n')).toHaveLength(error.faults.length);
  return error.faults.map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
}

/** The sample with one piece of text exchanged; the piece must be there. */
function change(text: string, from: string | RegExp, to: string): string {
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  return changed;
}

describe('good files', () => {
  test('give models and effects in display order', async () => {
    const catalog = await load();
    expect([...catalog.models.keys()]).toEqual(['painter', 'canvas']);
    expect([...catalog.effects.keys()]).toEqual(['glow', 'sketch']);
  });

  test('an entry holds what clients see, a model what the service needs', async () => {
    const { models, effects } = await load();
    const { entry, ...rest } = models.get('canvas')!;
    expect(entry).toMatchObject({ listingId: 'studio', vendor: 'Nobody', modality: 'image', priceFromCoins: 7 });
    expect(Object.keys(entry)).not.toContain('inputLimits');
    expect(rest).toMatchObject({
      consent: false,
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
      prompt: 'Glow.',
    });
  });

  test('nobody can change a loaded catalog', async () => {
    const { models } = await load();
    const { entry } = models.get('canvas')!;
    expect(() => Object.assign(entry.defaults, { style: 'oil' })).toThrow(TypeError);
    expect(() => entry.params.push(entry.params[0]!)).toThrow(TypeError);
  });

  test('the version follows the bytes and names of the files', async () => {
    const first = (await load()).version;
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect((await load()).version).toBe(first);
    expect((await load({ models: change(MODELS, 'perOutput: 7', 'perOutput: 8') })).version).not.toBe(first);
    expect((await load({ effects: `${EFFECTS}# a remark\n` })).version).not.toBe(first);
  });

  test('hidden files are left alone, and effects may be absent', async () => {
    await load();
    await writeFile(join(dir, 'models/.studio.yaml.swp'), 'nonsense: [');
    await rm(join(dir, 'effects'), { recursive: true });
    expect((await loadCatalog(dir)).effects.size).toBe(0);
  });
});

describe('a fault is told with file, line and reason', () => {
  const models: [name: string, from: string | RegExp, to: string, ...faults: string[]][] = [
    ['broken YAML', 'vendor: Nobody', 'vendor: [Nobody', 'models/studio.yaml:3: '],
    ['a key twice', 'vendor: Nobody', 'vendor: Nobody\nvendor: Else', 'models/studio.yaml:3: Map keys must be unique'],
    ['two documents', 'vendor: Nobody', 'vendor: Nobody\n---\na: 1', 'models/studio.yaml:'],
    ['an unknown tag', 'vendor: Nobody', 'vendor: !env Nobody', 'models/studio.yaml:2: Unresolved tag: !env'],
    ['an alias of nothing', 'vendor: Nobody', 'vendor: *nobody', 'models/studio.yaml:'],
    [
      'an unknown field of a file',
      'vendor: Nobody',
      'vendor: Nobody\nnote: x',
      'models/studio.yaml:3: note: is not a known field',
    ],
    [
      'an unknown field of a model',
      'displayName: Canvas',
      'displayname: Canvas',
      'models/studio.yaml:4: models.0: lacks displayName',
      'models/studio.yaml:5: models.0.displayname: is not a known field',
    ],
    [
      'an unknown field of a param',
      'maxLength: 100',
      'maxLength: 100, max: 3',
      'models/studio.yaml:12: models.0.params.0.max: is not a known field',
    ],
    ['a param without its bound', 'maxLength: 100, ', '', 'models/studio.yaml:12: models.0.params.0: lacks maxLength'],
    [
      'a param of no kind',
      'kind: text',
      'kind: words',
      'models/studio.yaml:12: models.0.params.0.kind: must be one of text, enum, range, seed, media, media_list',
    ],
    [
      'a param of an unknown name',
      'name: speed',
      'name: sped',
      'models/studio.yaml:14: models.0.params.2.name: is not a known value',
    ],
    [
      'a number that is none',
      'max: 1, step',
      'max: .inf, step',
      'models/studio.yaml:14: models.0.params.2.max: must be number',
    ],
    ['a step of zero', 'step: 0.1', 'step: 0', 'models/studio.yaml:14: models.0.params.2.step: must be > 0'],
    [
      'an unknown task',
      'image.generate',
      'image.make',
      'models/studio.yaml:6: models.0.taskType: is not a known value',
    ],
    [
      'another modality',
      'workspace: image',
      'workspace: audio',
      'models/studio.yaml:7: models.0.workspace: must be image or tools for the task image.generate',
    ],
    [
      'a param twice',
      'name: speed',
      'name: style',
      'models/studio.yaml:14: models.0.params.2.name: style is described twice',
      'models/studio.yaml:16: models.0.defaults.style: must be a number',
      'models/studio.yaml:16: models.0.defaults.speed: is not a param of this model',
      'models/studio.yaml:17: models.0.price.lines.0.when.style: must be a number',
    ],
    [
      'bounds the wrong way round',
      'min: 0, max: 1',
      'min: 2, max: 1',
      'models/studio.yaml:14: models.0.params.2.min: is above max',
      'models/studio.yaml:16: models.0.defaults.speed: must be at least 2',
    ],
    [
      'an enum value twice',
      '[ink, oil]',
      '[ink, oil, ink]',
      'models/studio.yaml:13: models.0.params.1.values: has a value twice',
    ],
    [
      'a control of another kind',
      'control: select',
      'control: seed',
      'models/studio.yaml:13: models.0.params.1.ui.control: must be one of aspect, segmented, select, switch, voice, language, effect for a param of kind enum',
    ],
    [
      'a switch of words',
      'control: select',
      'control: switch',
      'models/studio.yaml:13: models.0.params.1.values: must be booleans for a switch',
    ],
    [
      'a name with another kind',
      'name: speed',
      'name: prompt',
      'models/studio.yaml:14: models.0.params.2.name: prompt is described twice',
      'models/studio.yaml:14: models.0.params.2.kind: prompt must be text',
      'models/studio.yaml:16: models.0.defaults.speed: is not a param of this model',
    ],
    [
      'outputs by halves',
      'name: speed',
      'name: num_outputs',
      'models/studio.yaml:14: models.0.params.2: num_outputs must be whole numbers from 1 to 16',
      'models/studio.yaml:16: models.0.defaults.speed: is not a param of this model',
    ],
    [
      'an enum default outside its values',
      'style: ink',
      'style: chalk',
      'models/studio.yaml:16: models.0.defaults.style: must be one of "ink", "oil"',
    ],
    [
      'a range default outside its bounds',
      'speed: 0.3',
      'speed: 1.1',
      'models/studio.yaml:16: models.0.defaults.speed: must be at most 1',
    ],
    [
      'a range default off its step',
      'speed: 0.3',
      'speed: 0.35',
      'models/studio.yaml:16: models.0.defaults.speed: must be 0 plus a multiple of 0.1',
    ],
    [
      'a default of a required param',
      'style: ink,',
      'style: ink, prompt: x,',
      'models/studio.yaml:16: models.0.defaults.prompt: is required, so it has no default',
    ],
    [
      'a default of media',
      'inputLimits:',
      'defaults: { images: [] }\n    inputLimits:',
      'models/studio.yaml:28: models.1.defaults.images: is required, so it has no default',
    ],
    [
      'a default of no param',
      'style: ink,',
      'style: ink, fps: 3,',
      'models/studio.yaml:16: models.0.defaults.fps: is not a param of this model',
    ],
    [
      'a price for no param',
      'when: { style: oil }',
      'when: { fps: 3 }',
      'models/studio.yaml:17: models.0.price.lines.0.when.fps: is not a param of this model',
    ],
    [
      'a price for a value that cannot be',
      'when: { style: oil }',
      'when: { style: [oil, chalk] }',
      'models/studio.yaml:17: models.0.price.lines.0.when.style: must be one of "ink", "oil"',
    ],
    [
      'a price that reads the prompt',
      'when: { style: oil }',
      'when: { prompt: oil }',
      'models/studio.yaml:17: models.0.price.lines.0.when.prompt: a price may depend on params of kind enum and range only',
    ],
    [
      'a price of a negative line',
      'coins: 2, when',
      'coins: -2, when',
      'models/studio.yaml:17: models.0.price.lines.0.coins: must be > 0',
    ],
    [
      'a measure of no param',
      'of: images',
      'of: image',
      'models/studio.yaml:29: models.1.price.lines.0.of: image is not a param of this model',
    ],
    [
      'a measure that says not of what',
      ', of: images',
      '',
      'models/studio.yaml:29: models.1.price.lines.0: lacks of: the param that is measured per megapixel',
    ],
    [
      'seconds of pictures',
      'per: megapixel',
      'per: second',
      'models/studio.yaml:29: models.1.price.lines.0.of: images has no seconds',
    ],
    [
      'a measure that can be left out for free',
      'when: { style: oil }',
      'per: second, of: seed',
      'models/studio.yaml:17: models.0.price.lines.0.of: seed is not a number of seconds',
    ],
    [
      'a table with a row missing',
      'when: { style: oil }',
      'per: megapixel, of: style, megapixels: { ink: 1 }',
      'models/studio.yaml:17: models.0.price.lines.0.of: megapixels has no row for oil',
    ],
    [
      'a unit without a measure',
      'when: { style: oil }',
      'minimum: 2',
      'models/studio.yaml:17: models.0.price.lines.0.minimum: needs a unit to measure: set per',
    ],
    [
      'limits of seconds on pictures',
      '{ maxInputBytes: 100 }',
      '{ maxInputSeconds: 9 }',
      'models/studio.yaml:28: models.1.inputLimits.maxInputSeconds: the model takes neither video nor audio',
    ],
    [
      'a route to the simulator',
      'provider: openai',
      'provider: simulator',
      'models/studio.yaml:18: models.0.routes.1.provider: must not be the simulator',
    ],
    [
      'a personal task without consent',
      'image.effect',
      'image.try-on',
      'models/studio.yaml:21: models.1.consent: must be true for the task image.try-on',
    ],
    [
      'a sunset too soon',
      'consent: false',
      'deprecation: { deprecatedAt: "2026-01-01T00:00:00Z", sunsetAt: "2026-01-30T00:00:00Z", replacement: painter }\n    consent: false',
      'models/studio.yaml:10: models.0.deprecation.sunsetAt: must be at least 30 days after deprecatedAt',
    ],
    [
      'a replacement that is not there',
      'consent: false',
      'deprecation: { deprecatedAt: "2026-01-01T00:00:00Z", sunsetAt: "2026-03-01T00:00:00Z", replacement: nobody }\n    consent: false',
      'models/studio.yaml:10: models.0.deprecation.replacement: there is no model nobody',
    ],
    [
      'an id twice',
      'id: painter',
      'id: canvas',
      'models/studio.yaml:19: models.1.id: canvas is used twice',
      'effects/all.yaml:2: effects.0.modelId: there is no model painter',
      'effects/all.yaml:3: effects.1.modelId: there is no model painter',
    ],
    [
      'an id that does not read',
      'id: canvas',
      'id: Canvas 1',
      'models/studio.yaml:4: models.0.id: must match pattern "^[a-z0-9][a-z0-9.-]{0,63}$"',
    ],
    [
      'an effect that gives too few images',
      'minItems: 1',
      'minItems: 2',
      'effects/all.yaml:3: effects.1.input.min: the model painter needs at least 2',
      'effects/all.yaml:2: effects.0.input.min: the model painter needs at least 2',
      'effects/all.yaml:3: effects.1.input.max: ',
    ],
  ];
  test.each(models)('%s', async (_name, from, to, ...expected) => {
    const faults = await faultsOf({ models: change(MODELS, from, to) });
    expect(faults.length).toBeGreaterThan(0);
    for (const fault of expected)
      expect(
        faults.some((each) => each.startsWith(fault)),
        `${fault} in\n${faults.join('\n')}`,
      ).toBe(true);
    // Every fault has a real place.
    for (const fault of faults) expect(fault).toMatch(/^(models|effects)\/\w+\.yaml:[1-9]\d*: ./);
  });

  const effects: [name: string, from: string, to: string, fault: string][] = [
    [
      'an effect on no model',
      'modelId: painter, input: { type: images, min: 1, max: 3',
      'modelId: nobody, input: { type: images, min: 1, max: 3',
      'effects/all.yaml:2: effects.0.modelId: there is no model nobody',
    ],
    [
      'an effect on a model that takes no images',
      'modelId: painter',
      'modelId: canvas',
      'effects/all.yaml:2: effects.0.input.type: the model canvas has no media param images or image',
    ],
    [
      'an effect that wants a video',
      'type: images, min: 1, max: 3',
      'type: video',
      'effects/all.yaml:2: effects.0.input.type: the model painter has no media param video',
    ],
    [
      'an effect of another kind',
      'kind: image',
      'kind: video',
      'effects/all.yaml:2: effects.0.kind: must be image, which the model painter makes',
    ],
    [
      'an effect with more images than the model takes',
      'max: 3',
      'max: 4',
      'effects/all.yaml:2: effects.0.input.max: the model painter takes at most 3',
    ],
    [
      'images the wrong way round',
      'min: 1, max: 3',
      'min: 3, max: 2',
      'effects/all.yaml:2: effects.0.input.min: is above max',
    ],
    [
      'an input of no type',
      'type: images',
      'type: sound',
      'effects/all.yaml:2: effects.0.input.type: must be one of images, video',
    ],
    ['an input without its bound', ', max: 3', '', 'effects/all.yaml:2: effects.0.input: lacks max'],
    [
      'an unknown field of an effect',
      'id: sketch',
      'id: sketch, name: Sketch',
      'effects/all.yaml:2: effects.0.name: is not a known field',
    ],
    ['an effect twice', 'id: glow', 'id: sketch', 'effects/all.yaml:3: effects.1.id: sketch is used twice'],
    [
      'a surcharge by halves',
      'surchargeCoins: 4',
      'surchargeCoins: 0.5',
      'effects/all.yaml:3: effects.1.surchargeCoins: must be integer',
    ],
  ];
  test.each(effects)('%s', async (_name, from, to, fault) => {
    expect(await faultsOf({ effects: change(EFFECTS, from, to) })).toEqual([fault]);
  });

  test('an empty file', async () => {
    expect(await faultsOf({ models: '' })).toEqual(['models/studio.yaml:1: the file: must be object']);
  });

  test('faults of all files are told together', async () => {
    const faults = await faultsOf({
      models: change(MODELS, 'style: ink,', 'style: chalk,'),
      effects: change(EFFECTS, 'max: 3', 'max: 4'),
    });
    expect(faults).toEqual([
      'models/studio.yaml:16: models.0.defaults.style: must be one of "ink", "oil"',
      'effects/all.yaml:2: effects.0.input.max: the model painter takes at most 3',
    ]);
  });

  test('an effect is not blamed for a model whose file is broken', async () => {
    expect(await faultsOf({ models: change(MODELS, 'id: painter', 'id: painter\n    extra: 1') })).toEqual([
      'models/studio.yaml:20: models.1.extra: is not a known field',
    ]);
  });

  test('a file that ends in .yml, a folder without models', async () => {
    await writeFile(join(dir, 'models/other.yml'), MODELS);
    expect(await faultsOf()).toEqual(['models/other.yml:1: must end in .yaml']);
    await rm(join(dir, 'models'), { recursive: true });
    await expect(loadCatalog(dir)).rejects.toThrow('models:1: no file describes a model');
  });

  test('a file of a million bytes and more', async () => {
    expect(await faultsOf({ models: `${MODELS}#${'x'.repeat(1_048_576)}` })).toEqual([
      'models/studio.yaml:1: is larger than 1048576 bytes',
    ]);
  });

  test('aliases that multiply', async () => {
    const bomb = `a: &a [${'x,'.repeat(50)}]\nb: &b [${'*a,'.repeat(50)}]\nc: &c [${'*b,'.repeat(50)}]\nd: [${'*c,'.repeat(50)}]\n`;
    const [fault] = await faultsOf({ models: bomb });
    expect(fault).toMatch(/^models\/studio\.yaml:1: Excessive alias count/);
  });

  test('an alias that holds itself', async () => {
    const models = change(MODELS, '{ provider: openai }', '&r { provider: openai, again: *r }');
    expect(await faultsOf({ models })).toEqual([]);
  });
});
