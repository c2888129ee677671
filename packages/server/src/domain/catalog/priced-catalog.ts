import { createHash } from 'node:crypto';
import { Compile } from 'typebox/compile';
import type { Catalog, CatalogModel } from './catalog.ts';
import { computePriceFrom } from './compute-price-from.ts';
import { checkPriceRule } from './files/check-price-rule.ts';
import { PriceRule } from './price-rule.ts';

const VERSION_LENGTH = 16;
const validPrice = Compile(PriceRule);

/** What is wrong with a price of this model: nothing, if it can be computed for every request. */
export function findPriceErrors(model: CatalogModel, price: unknown): Array<{ path: string; message: string }> {
  if (!validPrice.Check(price)) {
    return validPrice.Errors(price).map(({ instancePath, message }) => ({
      path: ['price', ...instancePath.split('/').slice(1)].join('.'),
      message,
    }));
  }
  const errors: Array<{ path: string; message: string }> = [];
  checkPriceRule({
    price,
    params: new Map(model.entry.params.map((descriptor) => [descriptor.name, descriptor])),
    defaults: model.entry.defaults,
    at: ['price'],
    report: (path, message) => errors.push({ path: path.join('.'), message }),
  });
  return errors;
}

/** The model with another price than that of its file. */
export function withPrice(model: CatalogModel, price: PriceRule): CatalogModel {
  const priced = { ...model, price, filePrice: model.filePrice ?? model.price };
  return { ...priced, entry: { ...model.entry, priceFromCoins: computePriceFrom(priced) } };
}

/**
 * The catalog of the files with the prices that the operator published. A price that the model's file no longer fits is
 * reported once and left out. The version depends on the prices too: it identifies the pricebook.
 */
export function createPricedCatalog(options: {
  files: () => Catalog;
  prices: () => ReadonlyMap<string, unknown> | undefined;
  onRefused: (modelId: string) => void;
}): () => Catalog {
  let last: { files: Catalog; key: string; priced: Catalog } | null = null;
  return () => {
    const files = options.files();
    const prices = [...(options.prices() ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    if (prices.length === 0) return files;
    const key = JSON.stringify(prices);
    if (last?.files === files && last.key === key) return last.priced;
    last = { files, key, priced: applyPrices(files, { prices, key, onRefused: options.onRefused }) };
    return last.priced;
  };
}

function applyPrices(
  files: Catalog,
  { prices, key, onRefused }: { prices: Array<[string, unknown]>; key: string; onRefused: (modelId: string) => void },
): Catalog {
  const models = new Map(files.models);
  for (const [modelId, price] of prices) {
    const model = models.get(modelId);
    if (model === undefined) continue;
    if (findPriceErrors(model, price).length > 0) onRefused(modelId);
    else models.set(modelId, withPrice(model, price as PriceRule));
  }
  const version = createHash('sha256').update(`${files.version}\0${key}`).digest('hex').slice(0, VERSION_LENGTH);
  return { ...files, version, models };
}
