import { expect, test } from 'vitest';
import { spellAmounts } from './spell-amounts.ts';

test.each([
  ['en-us', 'It cost $12.50, not €1,200.', 'It cost 12 dollars and 50, not 1,200 euros.'],
  ['en-us', 'In 1999 and 2005, at 10:05 or 9:30.', 'In 19 99 and 2005, at 10 oh 5 or 9 30.'],
  ['en-us', 'In 1900 and 2024.', 'In 19 hundred and 20 24.'],
  ['es', 'Cuesta 25,90 € o $8.', 'Cuesta 25 euros con 90 o 8 dólares.'],
  ['fr-fr', 'En 1999, 3 €.', 'En 1999, 3 euros.'],
] as const)('%s: %s', (speech, text, spelled) => {
  expect(spellAmounts({ text, speech })).toBe(spelled);
});
