import { expect, test } from 'vitest';
import { isListed } from '../../catalog/availability.ts';
import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';
import { sampleModel, sampleParam } from '../../catalog/testing/sample-model.ts';
import { findOfferedTargets } from './serving.ts';

const route = (target: string) => ({ provider: 'comfyui', settings: { backend: target } });
const model = (options: Parameters<typeof sampleModel>[0], target: string): CatalogModel => ({
  ...sampleModel(options),
  routes: [route(target)],
});
const prompt = sampleParam('prompt', { kind: 'text', maxLength: 10 });
const models = [
  model({ entry: { id: 'draw' }, params: [prompt] }, 'studio'),
  model({ entry: { id: 'upscale' } }, 'studio'),
  model({ entry: { id: 'song', modality: 'audio' }, params: [prompt] }, 'sound'),
  model({ entry: { id: 'clean', modality: 'audio' } }, 'sound'),
  model(
    { entry: { id: 'relief', modality: '3d' }, params: [sampleParam('image', { kind: 'media', accept: 'image' })] },
    'solid',
  ),
];
const catalog: Catalog = {
  version: '1',
  models: new Map(models.map((each) => [each.entry.id, each])),
  effects: new Map(),
};
const openWith = (...gaps: Array<'prompt' | 'picture'>) => {
  const targets = ['comfyui/studio', 'comfyui/sound', 'comfyui/solid'];
  const offers = new Set(findOfferedTargets(catalog, { targets, gaps: new Set(gaps) }));
  return models.filter((each) => isListed(each, { closedModelIds: new Set(), offers })).map(({ entry }) => entry.id);
};

test('a required check that cannot run closes only the models that it protects', () => {
  expect(openWith()).toEqual(['draw', 'upscale', 'song', 'clean', 'relief']);
  expect(openWith('prompt')).toEqual(['upscale', 'clean', 'relief']);
  expect(openWith('picture')).toEqual(['song', 'clean']);
  expect(openWith('prompt', 'picture')).toEqual(['clean']);
});
