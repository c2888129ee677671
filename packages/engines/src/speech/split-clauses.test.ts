import { expect, test } from 'vitest';
import { splitClauses } from './clauses.ts';

const split = (text: string) => splitClauses(text).map(({ words, mark }) => `${words}${mark}`);

test('cuts at marks and keeps them', () => {
  expect(split('Well, is it? Yes! Good: go; now… end.')).toEqual([
    'Well,',
    'is it?',
    'Yes!',
    'Good:',
    'go;',
    'now…',
    'end.',
  ]);
});

test('numbers, times and abbreviations stay whole', () => {
  expect(split('Dr. Hill paid 1,250.50 at 10:30. The U.S. market fell to plan B. Then.')).toEqual([
    'Dr Hill paid 1,250.50 at 10:30.',
    'The U S market fell to plan B.',
    'Then.',
  ]);
});

test('quotes, brackets, dashes, emoji and foreign marks', () => {
  expect(split('"Don\'t," she said (softly) - and left 🙂')).toEqual(["Don't,", 'she said,', 'softly—', 'and left.']);
  expect(split('¿Qué? ¡Sí! नमस्ते।')).toEqual(['Qué?', 'Sí!', 'नमस्ते.']);
});

test('a blank line ends a paragraph', () => {
  expect(splitClauses('One.\n\nTwo\nstill two').map(({ endsParagraph }) => endsParagraph)).toEqual([true, true]);
  expect(split('One.\n\nTwo\nstill two')).toEqual(['One.', 'Two still two.']);
});

test('a text without words has no clauses', () => {
  expect(splitClauses(' ... 🙂 —')).toEqual([]);
});
