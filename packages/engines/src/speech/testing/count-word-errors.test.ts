import { expect, test } from 'vitest';
import { countWordErrors } from './count-word-errors.ts';

test('case, punctuation and number formats are not errors', () => {
  expect(
    countWordErrors({
      said: "It's twenty-five, or 1,250!",
      heard: 'its 25 or one thousand two hundred fifty',
      language: 'en',
    }),
  ).toEqual({
    errors: 0,
    words: 9,
  });
  expect(
    countWordErrors({
      said: 'Pagué 45 euros y 130 más.',
      heard: 'pagué cuarenta y cinco euros y ciento treinta más',
      language: 'es',
    }).errors,
  ).toBe(0);
});

test('inserted, deleted and substituted words count one each', () => {
  expect(countWordErrors({ said: 'one big red bird', heard: 'one red bird', language: 'en' })).toEqual({
    errors: 1,
    words: 4,
  });
  expect(countWordErrors({ said: 'one red bird', heard: 'one big red bird', language: 'en' }).errors).toBe(1);
  expect(countWordErrors({ said: 'one red bird', heard: 'one red word', language: 'en' }).errors).toBe(1);
  expect(countWordErrors({ said: 'one red bird', heard: '', language: 'en' }).errors).toBe(3);
});
