import { expect, test } from 'vitest';
import { scoreVectors } from './score-vectors.ts';

const unit = (degrees: number) =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));
const exemplars = [
  { category: 'hate' as const, vector: unit(0) },
  { category: 'hate' as const, vector: unit(2) },
  { category: 'sexual' as const, vector: unit(60) },
  { category: 'sexual' as const, vector: unit(62) },
  { category: null, vector: unit(120) },
  { category: null, vector: unit(122) },
];

test('the nearest side wins, and equal distance is 0.5', () => {
  expect(scoreVectors([unit(1)], exemplars)).toMatchObject({ category: 'hate' });
  expect(scoreVectors([unit(1)], exemplars).score).toBeGreaterThan(0.9);
  expect(scoreVectors([unit(121)], exemplars).score).toBeLessThan(0.1);
  expect(scoreVectors([unit(91)], exemplars).score).toBeCloseTo(0.5, 2);
});

test('the worst part counts', () => {
  expect(scoreVectors([unit(121), unit(61)], exemplars)).toMatchObject({ category: 'sexual' });
});

test('a text far from every exemplar has no category', () => {
  expect(scoreVectors([unit(240)], exemplars)).toEqual({ category: null, score: 0 });
  expect(scoreVectors([], exemplars)).toEqual({ category: null, score: 0 });
});
