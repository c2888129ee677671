import { Problem } from '../../platform/problem.ts';
import type { CatalogModel } from './catalog.ts';
import { checkParams } from './check-params.ts';
import { priceRequest } from './price-request.ts';

/** The price of a request that sets only the prompt; null if the model does not accept such a request. */
export function computePriceFrom(model: CatalogModel): number | null {
  const prompt = model.entry.params.find(({ name }) => name === 'prompt');
  if (prompt?.kind !== 'text') return null;
  const params = { prompt: 'x'.repeat(prompt.minLength ?? 1) };
  try {
    const { effective } = checkParams({ model, effect: null, params, draft: false });
    return priceRequest({ model, effect: null, params: effective, found: new Map() }).coins;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
