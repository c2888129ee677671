import { expect, test } from 'vitest';
import { joinSpeech } from './join-speech.ts';

test('silence at the edges is replaced by pauses of fixed length', () => {
  const rate = 1_000;
  const samples = new Float32Array(2_000).fill(0.5, 500, 1_500);
  const part = { samples, endsParagraph: false };
  const joined = joinSpeech({ parts: [part, { ...part, endsParagraph: true }, part], rate });
  expect(joined.length / rate).toBeCloseTo(3 * 1.12 + 0.22 + 0.55, 1);
  expect(joinSpeech({ parts: [{ samples: new Float32Array(100), endsParagraph: true }], rate })).toHaveLength(0);
});
