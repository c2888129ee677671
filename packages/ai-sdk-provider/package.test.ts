import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PackedPackage, packPackage } from '../../scripts/packages/pack-package.ts';

let packed: PackedPackage;
beforeAll(async () => {
  packed = await packPackage('ai-sdk-provider');
});
afterAll(() => packed?.[Symbol.asyncDispose]());

test('it packs its own built modules, and depends on the client and on the interface of the AI SDK', () => {
  const { paths, manifest } = packed;
  expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(paths.filter((path) => !/^dist\/[a-z0-9-]+\.(js|d\.ts)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  expect(paths.filter((path) => path.includes('test'))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']));
  expect(manifest).toMatchObject({ name: '@atelier/ai-sdk-provider', type: 'module', sideEffects: false });
  expect(Object.keys(manifest.dependencies as object).sort()).toEqual(['@ai-sdk/provider', '@atelier/sdk']);
  expect(manifest).not.toHaveProperty('private');
});

test('publint has no complaint', async () => {
  expect(await packed.lint()).toEqual([]);
});

test('its types resolve in Node and in bundlers', async () => {
  expect(await packed.findTypeProblems()).toEqual([]);
});
