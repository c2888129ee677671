import { expect, test } from 'vitest';
import { splitClauses } from './split-clauses.ts';

const told = (text: string) => splitClauses(text).map(({ words, mark }) => `${words}${mark}`);

test('cuts at marks and keeps them', () => {
  expect(told('Well, is it? Yes! Good: go; now… end.')).toEqual([
    'Well,',
    'is it?',
    'Yes!',
    'Good:',
    'go;',
    'now…',
    'end.',
  ]);
});

test('numbers, clocks and abbreviations stay whole', () => {
  expect(told('Dr. Hill paid 1,250.50 at 10:30. The U.S. market fell to plan B. Then.')).toEqual([
    'Dr Hill paid 1,250.50 at 10:30.',
    'The U S market fell to plan B.',
    'Then.',
  ]);
});

test('quotes, brackets, dashes, pictures and foreign marks', () => {
  expect(told('"Don\'t," she said (softly) - and left 🙂')).toEqual(["Don't,", 'she said,', 'softly—', 'and left.']);
  expect(told('¿Qué? ¡Sí! नमस्ते।')).toEqual(['Qué?', 'Sí!', 'नमस्ते.']);
});

test('a blank line ends a paragraph', () => {
  expect(splitClauses('One.\n\nTwo\nstill two').map(({ endsParagraph }) => endsParagraph)).toEqual([true, true]);
  expect(told('One.\n\nTwo\nstill two')).toEqual(['One.', 'Two still two.']);
});

test('a text without words has no clauses', () => {
  expect(splitClauses(' ... 🙂 —')).toEqual([]);
});
