import { expect, test } from 'vitest';
import type { Openness } from './availability.ts';
import type { Catalog, CatalogEffect, CatalogModel } from './catalog.ts';
import { listEffects } from './list-effects.ts';
import { listModels } from './list-models.ts';
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

test('open models in the order of the catalog', () => {
  expect(models({ closedModelIds: none })).toEqual(['z', 'a', 'old']);
  expect(effects({ closedModelIds: none })).toEqual(['e1', 'e3', 'e4']);
});

test('the operator can close one, and its effects with it', () => {
  expect(models({ closedModelIds: new Set(['z']) })).toEqual(['a', 'old']);
  expect(effects({ closedModelIds: new Set(['z']) })).toEqual(['e3', 'e4']);
});

test('a sunset closes a model at its moment', () => {
  expect(models({ closedModelIds: none, at: new Date('2026-01-31T23:59:59.999Z') })).toContain('old');
  expect(models({ closedModelIds: none, at: new Date('2026-02-01T00:00:00Z') })).not.toContain('old');
  expect(effects({ closedModelIds: none, at: new Date('2026-02-01T00:00:00Z') })).not.toContain('e4');
});
