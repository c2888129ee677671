import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../domain/catalog/load-catalog.ts';
import { change, errorsOf, MODELS } from '../domain/catalog/testing/sample-files.ts';
import { engineTable } from './local/engine-table.ts';
import { engineUsesLikeness, usesLikeness } from './uses-likeness.ts';

const catalog = await loadCatalog(resolve(import.meta.dirname, '../../../../catalog'));
const names = Object.keys(engineTable);
const personal = names.filter(engineUsesLikeness);

test('every engine says whether it animates or imitates a face or voice', () => {
  expect(Object.keys(usesLikeness).sort()).toEqual(names.sort());
  expect(personal.sort()).toEqual(['parallax', 'portrait-talk', 'retouch', 'voice-fx']);
});

describe('every model whose engine animates or imitates a face or voice requires consent', () => {
  const sold = [...catalog.models.values()].flatMap((model) =>
    model.routes
      .filter(({ provider, settings }) => provider === 'local' && engineUsesLikeness(settings.engine))
      .map(({ settings }) => ({ id: model.entry.id, engine: String(settings.engine), consent: model.entry.consent })),
  );
  test.each(sold)('$id on $engine', ({ consent }) => expect(consent).toEqual({ when: null }));
  test('each of these engines is in the catalog', () => {
    expect(new Set(sold.map(({ engine }) => engine))).toEqual(new Set(personal));
  });
  test.each(personal)('the catalog refuses %s under another name without it', async (engine) => {
    const models = change(MODELS, 'engine: onnx', `engine: ${engine}`);
    expect(await errorsOf({ models })).toEqual([
      `models/studio.yaml:10: models.0.consent: must be true: the engine ${engine} animates or imitates a face or voice`,
    ]);
    expect(await errorsOf({ models: change(models, 'consent: false', 'consent: true') })).toEqual([]);
  });
});
