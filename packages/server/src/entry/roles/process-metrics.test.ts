import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { registerCatalog } from './process-metrics.ts';

test('a refused catalog shows in the metrics of a running process, with the version that it keeps', async () => {
  const registry = new Registry();
  const state = { version: 'v1', refused: false };
  registerCatalog(registry, { current: () => ({ version: state.version }), isRefused: () => state.refused });
  const read = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('atelier_'));
  expect(await read()).toEqual(['atelier_catalog_refused 0', 'atelier_catalog_info{version="v1"} 1']);
  state.refused = true;
  expect(await read()).toEqual(['atelier_catalog_refused 1', 'atelier_catalog_info{version="v1"} 1']);
  Object.assign(state, { version: 'v2', refused: false });
  expect(await read()).toEqual(['atelier_catalog_refused 0', 'atelier_catalog_info{version="v2"} 1']);
});
