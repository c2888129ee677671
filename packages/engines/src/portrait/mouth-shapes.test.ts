import { expect, test } from 'vitest';
import { blinkAt, planMouth } from './mouth-shapes.ts';

const cue = (start: number, end: number, value: string) => ({ start, end, value });

test('every frame has a mouth shape that follows the cues without jumps', () => {
  const cues = [cue(0, 0.4, 'X'), cue(0.4, 0.8, 'D'), cue(0.8, 1.2, 'A'), cue(1.2, 1.6, 'X')];
  const mouths = planMouth({ cues, seconds: 1.6, fps: 25 });
  expect(mouths).toHaveLength(40);
  expect(mouths[4]).toEqual({ gap: 0, width: 1, rest: 1 });
  expect(mouths[15]).toMatchObject({ gap: expect.closeTo(0.2), rest: 0 });
  expect(mouths[25]).toMatchObject({ gap: expect.closeTo(0), rest: 0 });
  for (const [i, { rest }] of mouths.entries())
    expect(Math.abs(rest - (mouths[i - 1]?.rest ?? rest))).toBeLessThan(0.6);
});

test('without cues the mouth stays at rest', () => {
  expect(planMouth({ cues: [], seconds: 0.2, fps: 25 }).every(({ rest }) => rest === 1)).toBe(true);
});

test('the eyes close fully, briefly, and not in the first frames', () => {
  const closed = Array.from({ length: 250 }, (_, i) => blinkAt(i / 25));
  expect(Math.max(...closed)).toBeGreaterThan(0.9);
  expect(closed[0]).toBe(0);
  expect(closed.filter((each) => each > 0.1).length).toBeLessThan(25);
});
