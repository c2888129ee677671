import { expect, test } from 'vitest';
import { wrapCaption } from './wrap-caption.ts';

const narrow = { lineEms: 8, maxLines: 3 };

test('words wrap where the line is full', () => {
  expect(wrapCaption('a red fox in the snow', narrow)).toEqual(['a red fox in', 'the snow']);
});

test('a word longer than a line is broken without losing characters', () => {
  const word = 'abcdefghijklmnopqrstuvwxyz';
  expect(wrapCaption(word, { lineEms: 8, maxLines: 9 }).join('')).toBe(word);
});

test('text that does not fit ends in an ellipsis', () => {
  const lines = wrapCaption('word '.repeat(200), narrow);
  expect(lines).toHaveLength(3);
  expect(lines.at(-1)).toMatch(/^word.*…$/u);
});

test('characters that XML forbids are removed, surrogate pairs stay whole', () => {
  const text = `a\u0000b\u001bc \ud800 ${'🦊'.repeat(200)}`;
  const joined = wrapCaption(text, { lineEms: 500, maxLines: 1 }).join('');
  expect(joined).toMatch(/^a b c \ufffd (?:🦊)+…$/u);
});

test('empty text has no lines', () => {
  expect(wrapCaption(' \n\t ', narrow)).toEqual([]);
});
