import type { ParamValues } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import type { CatalogEffect } from './catalog.ts';
import type { InputFacts } from './check-inputs.ts';
import { priceRequest } from './price-request.ts';
import type { PriceLine, PriceRule } from './price-rule.ts';
import { sampleModel, sampleParam } from './testing/sample-model.ts';

const PARAMS = [
  sampleParam('resolution', { kind: 'enum', values: ['1024x1024', '2k'] }),
  sampleParam('duration', { kind: 'range', min: 1, max: 60, step: 0.5 }),
  sampleParam('text', { kind: 'text', maxLength: 5_000, required: true }),
  sampleParam('lyrics', { kind: 'text', maxLength: 5_000 }),
  sampleParam('image', { kind: 'media', accept: 'image', required: true }),
  sampleParam('images', { kind: 'media_list', accept: 'image', minItems: 0, maxItems: 4 }),
  sampleParam('video', { kind: 'media', accept: 'video', required: true }),
  sampleParam('first_frame', { kind: 'media', accept: 'image' }),
];

const factsOf = (facts: Partial<InputFacts> & { id: string }): InputFacts => ({
  kind: 'image',
  bytes: 1,
  width: null,
  height: null,
  durationSeconds: null,
  ...facts,
});

function price(
  rule: PriceRule,
  params: ParamValues = {},
  facts: readonly InputFacts[] = [],
  effect: CatalogEffect | null = null,
) {
  const model = sampleModel({ params: PARAMS, price: rule });
  return priceRequest({ model, effect, params, found: new Map(facts.map((each) => [each.id, each])) });
}
const line = (more: Partial<PriceLine>): PriceRule => ({ perOutput: 0, lines: [{ label: 'L', coins: 2, ...more }] });

describe('whole coins', () => {
  test('the price of one output times the number of outputs', () => {
    expect(price({ perOutput: 7 })).toEqual({
      coins: 7,
      coinsPerOutput: 7,
      outputs: 1,
      lines: [{ label: 'Base price', coins: 7 }],
    });
    expect(price({ perOutput: 7 }, { num_outputs: 4 })).toMatchObject({ coins: 28, coinsPerOutput: 7, outputs: 4 });
  });

  test('fractions are rounded up once, and the lines still add up', () => {
    const rule = {
      perOutput: 1.2,
      lines: [
        { label: 'A', coins: 0.3 },
        { label: 'B', coins: 0.4 },
        { label: 'C', coins: 0.2 },
      ],
    };
    expect(price(rule)).toMatchObject({
      coinsPerOutput: 3,
      lines: [
        { label: 'Base price', coins: 2 },
        { label: 'A', coins: 0 },
        { label: 'B', coins: 0 },
        { label: 'C', coins: 1 },
      ],
    });
  });

  test('each output is rounded, not their sum', () => {
    expect(price({ perOutput: 1.2 }, { num_outputs: 3 })).toMatchObject({ coinsPerOutput: 2, coins: 6 });
  });

  test('sums of decimals do not add a coin', () => {
    expect(0.07 * 100).toBeGreaterThan(7);
    expect(price(line({ coins: 0.07, per: 'second' }), { duration: 100 }).coins).toBe(7);
    const tenths = Array.from({ length: 30 }, () => ({ label: 'T', coins: 0.1 }));
    expect(price({ perOutput: 0, lines: tenths }).coins).toBe(3);
    expect(price({ perOutput: 3.001 }).coins).toBe(4);
  });

  test('the minimum price is one coin', () => {
    expect(price({ perOutput: 0 })).toMatchObject({ coins: 1, lines: [{ label: 'Smallest price', coins: 1 }] });
  });

  test('rounding up to a multiple is a separate line', () => {
    const rule = { perOutput: 11, roundUpTo: 5 };
    expect(price(rule).lines).toEqual([
      { label: 'Base price', coins: 11 },
      { label: 'Rounded up to a multiple of 5 coins', coins: 4 },
    ]);
    expect(price({ ...rule, perOutput: 15 })).toMatchObject({ coins: 15, lines: [{ coins: 15 }] });
  });
});

describe('conditions', () => {
  const rule = line({ when: { resolution: '2k' } });
  test('a line applies only to its value', () => {
    expect(price(rule, { resolution: '2k' }).coins).toBe(2);
    expect(price(rule, { resolution: '1024x1024' }).coins).toBe(1);
    expect(price(rule).coins).toBe(1);
  });
  test('a line applies to any value of a list, and all conditions must hold', () => {
    const both = line({ when: { resolution: ['2k', '4k'], duration: 5 } });
    expect(price(both, { resolution: '4k', duration: 5 }).coins).toBe(2);
    expect(price(both, { resolution: '4k', duration: 6 }).coins).toBe(1);
  });
});

describe('seconds', () => {
  test('of the duration', () => {
    expect(price(line({ per: 'second' }), { duration: 4.5 })).toMatchObject({
      coins: 9,
      lines: [{ label: 'L: 4.5 seconds', coins: 9 }],
    });
    expect(price(line({ per: 'second' }), { duration: 1 }).lines[0]?.label).toBe('L: 1 second');
  });
  test('of an upload, with a minimum', () => {
    const clip = (durationSeconds: number) => [factsOf({ id: 'v', kind: 'video', durationSeconds })];
    const rule = line({ per: 'second', of: 'video', minimum: 3 });
    expect(price(rule, { video: 'v' }, clip(4.004)).coins).toBe(9);
    expect(price(rule, { video: 'v' }, clip(2.5))).toMatchObject({
      coins: 6,
      lines: [{ label: 'L: at least 3 seconds', coins: 6 }],
    });
  });
});

describe('megapixels', () => {
  const square = factsOf({ id: 'a', width: 2_000, height: 1_000 });
  test('of an upload, at least one', () => {
    expect(price(line({ per: 'megapixel', of: 'image' }), { image: 'a' }, [square])).toMatchObject({
      coins: 4,
      lines: [{ label: 'L: 2 megapixels', coins: 4 }],
    });
    const small = factsOf({ id: 'a', width: 10, height: 10 });
    expect(price(line({ per: 'megapixel', of: 'image' }), { image: 'a' }, [small]).coins).toBe(2);
    expect(price(line({ per: 'megapixel', of: 'image', minimum: 0.5 }), { image: 'a' }, [small]).coins).toBe(1);
  });
  test('of all uploads of a list', () => {
    const rule = line({ per: 'megapixel', of: 'images' });
    expect(price(rule, { images: ['a', 'a', 'a'] }, [square]).coins).toBe(12);
    expect(price(rule, { images: [] }, [square]).coins).toBe(1);
  });
  test('of a table', () => {
    const rule = line({ per: 'megapixel', of: 'resolution', megapixels: { '1024x1024': 1.05, '2k': 4.2 } });
    expect(price(rule, { resolution: '2k' })).toMatchObject({ coins: 9, lines: [{ label: 'L: 4.2 megapixels' }] });
    expect(price(rule, { resolution: '1024x1024' }).coins).toBe(3);
  });
});

test('characters of a text, per thousand', () => {
  const rule = line({ per: 'thousand_characters', of: 'text' });
  expect(price(rule, { text: 'x'.repeat(2_500) })).toMatchObject({
    coins: 5,
    lines: [{ label: 'L: 2,500 characters', coins: 5 }],
  });
  expect(price(rule, { text: 'x' }).lines[0]?.label).toBe('L: at least 1,000 characters');
});

describe('unknown values', () => {
  test('a required param that is missing in a draft costs the minimum', () => {
    expect(price(line({ per: 'second', of: 'video', minimum: 3 }))).toMatchObject({
      coins: 6,
      lines: [{ label: 'L: at least 3 seconds', coins: 6 }],
    });
    expect(price(line({ per: 'megapixel', of: 'image' })).coins).toBe(2);
    expect(price(line({ per: 'thousand_characters', of: 'text' })).coins).toBe(2);
  });
  test('an upload that is not found costs the minimum', () => {
    expect(price(line({ per: 'second', of: 'video' }), { video: 'gone' }).coins).toBe(2);
  });
  test('an omitted optional param costs nothing', () => {
    expect(price(line({ per: 'megapixel', of: 'first_frame' })).lines).toEqual([{ label: 'Smallest price', coins: 1 }]);
    expect(price(line({ per: 'thousand_characters', of: 'lyrics' })).lines).toEqual([
      { label: 'Smallest price', coins: 1 },
    ]);
  });
});

test('an effect adds its surcharge to each output', () => {
  const effect: CatalogEffect = {
    entry: {
      id: 'e',
      kind: 'image',
      category: 'style',
      nameKey: 'n',
      thumbnail: null,
      input: { type: 'video' },
      modelId: 'sample',
    },
    surchargeCoins: 3,
    settings: {},
    prompt: null,
  };
  expect(price({ perOutput: 5 }, { num_outputs: 2 }, [], effect)).toEqual({
    coins: 16,
    coinsPerOutput: 8,
    outputs: 2,
    lines: [
      { label: 'Base price', coins: 5 },
      { label: 'Effect', coins: 3 },
    ],
  });
  expect(price({ perOutput: 5 }, {}, [], { ...effect, surchargeCoins: 0 }).lines).toHaveLength(1);
});
