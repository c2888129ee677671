import { expect, test } from 'vitest';
import type { Catalog } from './catalog.ts';
import { createPricedCatalog, findPriceErrors } from './priced-catalog.ts';
import { sampleModel, sampleParam } from './testing/sample-model.ts';

const model = sampleModel({
  params: [
    sampleParam('prompt', { kind: 'text', maxLength: 100 }),
    sampleParam('resolution', { kind: 'enum', values: ['1k', '2k'] }),
  ],
  defaults: { resolution: '1k' },
  price: { perOutput: 7 },
});
const files: Catalog = { version: 'files', models: new Map([['sample', model]]), effects: new Map() };

function price(prices: Record<string, unknown>) {
  const refused: string[] = [];
  const catalog = createPricedCatalog({
    files: () => files,
    prices: () => new Map(Object.entries(prices)),
    onRefused: (modelId) => refused.push(modelId),
  });
  return { catalog, refused };
}

test('without a published price, the catalog is that of the files', () => {
  expect(price({}).catalog()).toBe(files);
});

test('a published price replaces that of the file, and the pricebook has another version', () => {
  const { catalog } = price({ sample: { perOutput: 9 } });
  expect(catalog().models.get('sample')).toMatchObject({
    price: { perOutput: 9 },
    filePrice: { perOutput: 7 },
    entry: { priceFromCoins: 9 },
  });
  expect(catalog().version).toMatch(/^[0-9a-f]{16}$/);
  expect(catalog()).toBe(catalog());
  expect(price({ sample: { perOutput: 10 } }).catalog().version).not.toBe(catalog().version);
  expect(price({ sample: { perOutput: 9 } }).catalog().version).toBe(catalog().version);
  expect(files.models.get('sample')?.price).toEqual({ perOutput: 7 });
});

test('a price that the file no longer fits is reported once and left out; one of an unknown model has no effect', () => {
  const wrong = { perOutput: 1, lines: [{ label: 'Steps', coins: 1, when: { steps: 4 } }] };
  const { catalog, refused } = price({ sample: wrong, gone: { perOutput: 2 } });
  expect(catalog().models.get('sample')?.price).toEqual({ perOutput: 7 });
  catalog();
  expect(refused).toEqual(['sample']);
});

test.each([
  [{ perOutput: 8 }, []],
  [{ perOutput: 8, lines: [{ label: 'Large', coins: 5, when: { resolution: '2k' } }] }, []],
  [{ perOutput: -1 }, ['price.perOutput']],
  [{ perOutput: 1, discount: 2 }, ['price.discount', 'price']],
  [
    { perOutput: 1, lines: [{ label: 'Large', coins: 5, when: { resolution: '4k' } }] },
    ['price.lines.0.when.resolution'],
  ],
])('errors of the price %j', (given, paths) => {
  expect(findPriceErrors(model, given).map(({ path }) => path)).toEqual(paths);
});
