import { expect, test } from 'vitest';
import { levelSpeech } from './join-speech.ts';

test('quiet speech is raised, loud speech lowered, and silence unchanged', () => {
  expect(levelSpeech(Float32Array.of(0.01, -0.01))[0]).toBeCloseTo(0.1);
  expect(levelSpeech(Float32Array.of(1, -1))[0]).toBeCloseTo(0.1);
  expect(levelSpeech(Float32Array.from({ length: 1_000 }, (_, at) => (at === 0 ? 0.5 : 0)))[0]).toBeCloseTo(0.9);
  expect(levelSpeech(new Float32Array(3))).toEqual(new Float32Array(3));
});
