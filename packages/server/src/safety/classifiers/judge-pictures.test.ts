import { expect, test } from 'vitest';
import { judgePictures } from './picture-engine.ts';

const safe = { Porn: 0.02, Hentai: 0.01, Sexy: 0.05, Neutral: 0.9, Drawing: 0.02 };

test('the two explicit classes count together, by the worst picture', () => {
  expect(judgePictures([safe, { ...safe, Porn: 0.5, Hentai: 0.4 }], 0.85)).toMatchObject({
    flagged: true,
    category: 'sexual',
  });
  expect(judgePictures([{ ...safe, Porn: 0.5, Hentai: 0.3 }], 0.85)).toMatchObject({ flagged: false, category: null });
});

test('the class for swimwear never counts', () => {
  expect(judgePictures([{ ...safe, Sexy: 0.99, Neutral: 0 }], 0.85).flagged).toBe(false);
});

test('an empty list is not flagged', () => {
  expect(judgePictures([], 0.85)).toMatchObject({ flagged: false, score: 0 });
});
