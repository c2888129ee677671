import { expect, test } from 'vitest';
import { splitAtSilences } from './split-at-silences.ts';

const RATE = 1_000;
const SPLIT = { rate: RATE, minSeconds: 4, maxSeconds: 24, pauseSeconds: 0.3 };

/** Alternating tones and silences, with their lengths in seconds. */
function sound(...seconds: number[]): Float32Array {
  return Float32Array.from(
    seconds.flatMap((length, index) =>
      Array.from({ length: Math.round(length * RATE) }, (_, at) => (index % 2 === 0 ? 0.3 * Math.sin(at) : 0)),
    ),
  );
}

test('a pause ends a segment that is long enough, and silence belongs to no segment', () => {
  const stretches = splitAtSilences({ samples: sound(0, 2, 2, 0.5, 3, 1, 6, 3), ...SPLIT });
  expect(stretches).toHaveLength(2);
  expect(stretches[0]!.from).toBeCloseTo(1.88, 1);
  expect(stretches[0]!.to).toBeCloseTo(7.62, 1);
  expect(stretches[1]!.from).toBeCloseTo(8.38, 1);
  expect(stretches[1]!.to).toBeCloseTo(14.62, 1);
});

test('sound without a pause is cut at the limit', () => {
  const stretches = splitAtSilences({ samples: sound(100), ...SPLIT });
  for (const { from, to } of stretches) expect(to - from).toBeLessThanOrEqual(SPLIT.maxSeconds);
  for (const [index, { to }] of stretches.entries()) expect(stretches[index + 1]?.from ?? 100).toBeCloseTo(to, 5);
});

test('silence and clicks are ignored', () => {
  expect(splitAtSilences({ samples: new Float32Array(5 * RATE), ...SPLIT })).toEqual([]);
  expect(splitAtSilences({ samples: new Float32Array(0), ...SPLIT })).toEqual([]);
  expect(splitAtSilences({ samples: sound(0, 2, 0.02, 2), ...SPLIT })).toEqual([]);
});
