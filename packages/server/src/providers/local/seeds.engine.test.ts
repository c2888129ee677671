import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ParamValues } from '@atelier/contract';
import type { EngineName } from '@atelier/engines/engines.ts';
import { hasWeights, runEngine } from '@atelier/engines/testing/run-engine.ts';
import { afterAll, expect, test } from 'vitest';
import { loadCatalog } from '../../domain/catalog/load-catalog.ts';

const root = resolve(import.meta.dirname, '../../../../..');
const portrait = join(root, 'gallery/inputs/portrait.jpg');
const dir = mkdtempSync(join(tmpdir(), 'atelier-seeds-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A request for every model of the catalog that lists `seed` and runs on a local engine. */
const requests: Record<string, { params: ParamValues; inputs?: Record<string, string[]> }> = {
  'landscape-painter': { params: { prompt: 'a lake and mountains at dusk', resolution: '1k' } },
  'midi-composer': { params: { prompt: 'a calm piano piece', duration: 10 } },
  'sfx-lab': { params: { prompt: 'rain', duration: 1 } },
  'u2net-cutout-background': { params: { style: 'bokeh' }, inputs: { image: [portrait] } },
  'silueta-cutout-background': { params: { style: 'bokeh' }, inputs: { image: [portrait] } },
  'modnet-portrait-background': { params: { style: 'bokeh' }, inputs: { image: [portrait] } },
};

const catalog = await loadCatalog(join(root, 'catalog'));
const seeded = [...catalog.models.values()].flatMap(({ entry, routes }) => {
  const local = routes.find(({ provider }) => provider === 'local');
  if (local === undefined || !entry.params.some(({ name }) => name === 'seed')) return [];
  return [{ id: entry.id, entry, settings: local.settings, engine: local.settings['engine'] as EngineName }];
});

test('every local model that lists seed is tested here', () => {
  expect(seeded.map(({ id }) => id).sort()).toEqual(Object.keys(requests).sort());
});

for (const { id, entry, settings, engine } of seeded) {
  const isHere = hasWeights(engine);
  test.skipIf(!isHere)(`${id}: same params and seed give the same bytes, another seed others`, async () => {
    const { params, inputs } = requests[id]!;
    const make = async (seed: number) => {
      const outputs = await runEngine(engine, {
        taskType: entry.taskType,
        params: { ...entry.defaults, ...params, seed },
        inputs: inputs ?? {},
        settings,
        outputs: 1,
        dir: mkdtempSync(join(dir, 'run-')),
      });
      return createHash('sha256').update(readFileSync(outputs[0]!.path)).digest('hex');
    };
    const first = await make(11);
    const other = await make(12);
    // After another request, so that leftover state would change the result.
    expect(await make(11)).toBe(first);
    expect(other).not.toBe(first);
  });
}
