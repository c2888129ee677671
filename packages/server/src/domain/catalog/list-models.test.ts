import type { ListModelsQuery } from '@atelier/contract';
import { expect, test } from 'vitest';
import type { Openness } from './availability.ts';
import type { Catalog, CatalogEffect, CatalogModel } from './catalog.ts';
import { listEffects } from './list-effects.ts';
import { getModel, listModels } from './list-models.ts';
import { sampleModel } from './testing/sample-model.ts';

const modelOf = (id: string, more: Parameters<typeof sampleModel>[0] = {}) =>
  sampleModel({ ...more, entry: { ...more.entry, id } });
const effectOf = (id: string, modelId: string): CatalogEffect => ({
  entry: {
    id,
    kind: 'image',
    category: 'style',
    nameKey: `effects.${id}.name`,
    thumbnail: null,
    input: { type: 'video' },
    modelId,
  },
  surchargeCoins: 0,
  settings: {},
  prompt: null,
});
const catalogOf = (models: readonly CatalogModel[], effects: readonly CatalogEffect[] = []): Catalog => ({
  version: 'v',
  models: new Map(models.map((each) => [each.entry.id, each])),
  effects: new Map(effects.map((each) => [each.entry.id, each])),
});

const deprecation = { deprecatedAt: '2026-01-01T00:00:00Z', sunsetAt: '2026-02-01T00:00:00Z', replacement: null };
const catalog = catalogOf(
  [modelOf('z'), modelOf('shut', { closed: true }), modelOf('a'), modelOf('old', { entry: { deprecation } })],
  [effectOf('e1', 'z'), effectOf('e2', 'shut'), effectOf('e3', 'a'), effectOf('e4', 'old')],
);
const none: ReadonlySet<string> = new Set();
const models = (options: Parameters<typeof listModels>[1]) => listModels(catalog, options).models.map(({ id }) => id);
const effects = (options: Openness) => listEffects(catalog, { ...options, publicUrl: '' }).effects.map(({ id }) => id);

test('lists open models in the order of the catalog', () => {
  expect(models({ closedModelIds: none })).toEqual(['z', 'a', 'old']);
  expect(effects({ closedModelIds: none })).toEqual(['e1', 'e3', 'e4']);
});

test('the operator can close a model, which closes its effects', () => {
  expect(models({ closedModelIds: new Set(['z']) })).toEqual(['a', 'old']);
  expect(effects({ closedModelIds: new Set(['z']) })).toEqual(['e3', 'e4']);
});

test('a model closes at its sunset', () => {
  expect(models({ closedModelIds: none, at: new Date('2026-01-31T23:59:59.999Z') })).toContain('old');
  expect(models({ closedModelIds: none, at: new Date('2026-02-01T00:00:00Z') })).not.toContain('old');
  expect(effects({ closedModelIds: none, at: new Date('2026-02-01T00:00:00Z') })).not.toContain('e4');
});

test('filters by taskType, modality and workspace narrow the list, alone and together', () => {
  const various = catalogOf([
    modelOf('picture', { entry: { taskType: 'image.generate', modality: 'image', workspace: 'image' } }),
    modelOf('tool', { entry: { taskType: 'image.upscale', modality: 'image', workspace: 'tools' } }),
    modelOf('film', { entry: { taskType: 'video.upscale', modality: 'video', workspace: 'tools' } }),
  ]);
  const ids = (filter: ListModelsQuery) =>
    listModels(various, { closedModelIds: none, filter }).models.map(({ id }) => id);
  expect(ids({})).toEqual(['picture', 'tool', 'film']);
  expect(ids({ modality: 'image' })).toEqual(['picture', 'tool']);
  expect(ids({ workspace: 'tools' })).toEqual(['tool', 'film']);
  expect(ids({ taskType: 'video.upscale' })).toEqual(['film']);
  expect(ids({ workspace: 'tools', modality: 'image' })).toEqual(['tool']);
  expect(ids({ taskType: 'image.generate', modality: 'video' })).toEqual([]);
});

test('availability is open in the list, and a single model says why it is closed', () => {
  const routes = [{ provider: 'local', settings: { engine: 'onnx' } }];
  const served = catalogOf([{ ...modelOf('a'), routes }, modelOf('shut', { closed: true })]);
  const of = (id: string, openness: Openness) => getModel(served, { ...openness, id }).availability;
  const offers = new Set(['local/onnx']);
  expect(listModels(served, { closedModelIds: none, offers }).models).toMatchObject([
    { id: 'a', availability: { state: 'open', reason: null } },
  ]);
  expect(of('a', { closedModelIds: none, offers })).toEqual({ state: 'open', reason: null });
  expect(of('a', { closedModelIds: none, offers: none })).toEqual({ state: 'closed', reason: 'no_worker' });
  expect(of('a', { closedModelIds: new Set(['a']), offers })).toEqual({ state: 'closed', reason: 'operator' });
  expect(of('shut', { closedModelIds: none })).toEqual({ state: 'closed', reason: 'operator' });
});

test('a list of every model says which of them nobody serves', () => {
  const routes = [{ provider: 'local', settings: { engine: 'onnx' } }];
  const served = catalogOf(
    [{ ...modelOf('a'), routes }, modelOf('b'), modelOf('shut', { closed: true })],
    [effectOf('e1', 'b')],
  );
  const openness = { closedModelIds: none, offers: new Set(['local/onnx']), listsUnserved: true };
  expect(listModels(served, openness).models.map(({ id, availability }) => [id, availability])).toEqual([
    ['a', { state: 'open', reason: null }],
    ['b', { state: 'closed', reason: 'no_worker' }],
  ]);
  expect(getModel(served, { ...openness, id: 'b' }).availability).toEqual({ state: 'closed', reason: 'no_worker' });
  expect(listEffects(served, { ...openness, publicUrl: '' }).effects.map(({ id }) => id)).toEqual(['e1']);
});

test('after its sunset a model is unknown_model, like one that does not exist', () => {
  const at = new Date('2026-02-01T00:00:00Z');
  expect(getModel(catalog, { closedModelIds: none, id: 'old', at: new Date(at.getTime() - 1) }).id).toBe('old');
  for (const id of ['old', 'never']) {
    expect(() => getModel(catalog, { closedModelIds: none, id, at })).toThrow(
      expect.objectContaining({ code: 'unknown_model' }),
    );
  }
});
