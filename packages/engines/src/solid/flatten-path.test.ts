import { describe, expect, it } from 'vitest';
import { flattenPath, groupContours, signedArea } from './contours.ts';

const area = (data: string) => Math.abs(signedArea(flattenPath(data, 32)[0]!)) / 2;

describe('flattenPath', () => {
  it('reads lines, absolute and relative', () => {
    expect(flattenPath('M1 1h4v3h-4z', 1)).toEqual([[1, 1, 5, 1, 5, 4, 1, 4]]);
    expect(flattenPath('m1 1 4 0 0 3-4 0z', 1)).toEqual([[1, 1, 5, 1, 5, 4, 1, 4]]);
  });

  it('reads arcs whose flags are written together', () => {
    expect(area('M0 5a5 5 0 1110 0 5 5 0 01-10 0z')).toBeCloseTo(Math.PI * 25, 0);
  });

  it('reads curves and their smooth forms', () => {
    const round = 'M0 5C0 2.24 2.24 0 5 0s5 2.24 5 5-2.24 5-5 5-5-2.24-5-5';
    expect(area(round)).toBeCloseTo(Math.PI * 25, 0);
    expect(area('M0 0q5 10 10 0z')).toBeCloseTo(100 / 3, 0);
  });

  it('starts a second outline where the first ended', () => {
    expect(flattenPath('M0 0h4v4h-4zM10 10h2v2z', 1)).toHaveLength(2);
    expect(flattenPath('M2 2h4v4h-4zl1 0 0 1z', 1)[1]).toEqual([2, 2, 3, 2, 3, 3]);
  });
});

describe('groupContours', () => {
  const ring = flattenPath('M0 0h9v9h-9zM3 3h3v3h-3z', 1);

  it('cuts holes by the even-odd rule', () => {
    expect(groupContours(ring, 'evenodd', 9)[0]!.holes).toHaveLength(1);
  });

  it('cuts holes by the nonzero rule', () => {
    expect(groupContours(ring, 'nonzero', 9)).toHaveLength(1);
    expect(groupContours(ring, 'nonzero', 9)[0]!.holes).toHaveLength(0);
    const turned = flattenPath('M0 0h9v9h-9zM3 3v3h3v-3z', 1);
    expect(groupContours(turned, 'nonzero', 9)[0]!.holes).toHaveLength(1);
  });
});
