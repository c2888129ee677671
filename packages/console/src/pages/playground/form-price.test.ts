import { resolve } from 'node:path';
import type { AssetKind, ParamValues } from '@atelier/contract';
import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../../e2e/harness/seeded-random.ts';
import type { CatalogModel } from '../../../../server/src/domain/catalog/catalog.ts';
import { checkInputs } from '../../../../server/src/domain/catalog/check-inputs.ts';
import { checkParams } from '../../../../server/src/domain/catalog/check-params.ts';
import { loadCatalog } from '../../../../server/src/domain/catalog/load-catalog.ts';
import { priceRequest } from '../../../../server/src/domain/catalog/price-request.ts';
import { makeForm } from '../../../testing/random-form.ts';
import { describeForm, findHint, startValues, type Target, toParams } from './form-state.ts';
import { readFragment, writeFragment } from './share-link.ts';

const catalog = await loadCatalog(resolve(import.meta.dirname, '../../../../../catalog'));
const FORMS_PER_MODEL = 20;

const id = (n: number) => `0198a1c3-6127-7f3b-9c48-${String(n).padStart(12, '0')}`;
const facts = (n: number, kind: AssetKind, side: number | null, durationSeconds: number | null) =>
  [id(n), { id: id(n), kind, bytes: 50_000, width: side, height: side, durationSeconds }] as const;
const found = new Map([
  ...[1, 2, 3, 4].map((n) => facts(n, 'image', 320 * n, null)),
  facts(5, 'video', 480, 3),
  facts(6, 'audio', null, 7.3),
]);
const uploads = { images: [1, 2, 3, 4].map(id), video: id(5), audio: id(6) };

/** What the service asks for a request: the check that quotes and submits share. */
function priceOf(model: CatalogModel, params: ParamValues, draft: boolean): number {
  const { effective, media } = checkParams({ model, effect: null, params, draft });
  checkInputs({ model, media, found, draft });
  return priceRequest({ model, effect: null, params: effective, found }).coins;
}

test.each([...catalog.models.values()].map((model) => [model.entry.id, model] as const))(
  'the price on the form of %s is what the same params cost, also after a link',
  (_id, model) => {
    const random = createSeededRandom(model.entry.id.length);
    const target: Target = {
      model: { ...model.entry, availability: { state: 'open', reason: null } },
      effect: null,
    };
    for (let n = 0; n < FORMS_PER_MODEL; n += 1) {
      const wanted = makeForm(random, target.model, uploads);
      const cost = priceOf(model, wanted, false);
      expect(cost).toBeGreaterThan(0);
      const linked = readFragment(writeFragment(wanted)!);
      const values = startValues(target, linked);
      const sent = toParams(target, values);
      expect(priceOf(model, sent, true), JSON.stringify(wanted)).toBe(cost);
      expect(priceOf(model, sent, false)).toBe(cost);
      expect(describeForm(target).map((each) => findHint(each, values[each.name]))).toEqual(
        target.model.params.map(() => null),
      );
    }
  },
);
