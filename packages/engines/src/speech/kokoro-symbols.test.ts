import { expect, test } from 'vitest';
import { kokoroSymbols } from './kokoro-voices.ts';

test('symbols on both sides of each gap have the ids of the model', () => {
  const ids = Object.fromEntries(
    [...'?—I OQSTWYfhæβçɖəɚɜɟɡɥɨʝɯøɸœɹɾɻʁʧʊʋʌɤχʎʒʔˈːʰʲ↓→↘ᵻ'].map((symbol) => [symbol, kokoroSymbols.get(symbol)]),
  );
  expect(Object.values(ids)).toEqual([
    6, 9, 25, 16, 31, 33, 35, 36, 39, 41, 48, 50, 72, 75, 78, 80, 83, 85, 87, 90, 92, 99, 101, 103, 110, 116, 118, 120,
    123, 125, 126, 128, 133, 135, 136, 138, 140, 142, 143, 147, 148, 156, 158, 162, 164, 169, 171, 173, 177,
  ]);
  expect(kokoroSymbols.size).toBe(114);
});
