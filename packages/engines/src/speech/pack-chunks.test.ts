import { expect, test } from 'vitest';
import { MAX_CHUNK_TOKENS, packChunks } from './clauses.ts';

const clause = (length: number, mark: string, endsParagraph = false) => ({
  phonemes: 'a'.repeat(length),
  mark,
  endsParagraph,
});

test('short sentences are combined, long ones split, and paragraphs never mixed', () => {
  const lengths = packChunks([clause(50, '.'), clause(60, '.'), clause(200, '.', true), clause(10, '!', true)]).map(
    ({ phonemes }) => phonemes.length,
  );
  expect(lengths).toEqual([113, 201, 11]);
});

test('no chunk exceeds the limit of the model, and no text is lost', () => {
  const words = Array.from({ length: 300 }, () => 'abcd').join(' ');
  const long = packChunks([
    clause(400, ','),
    clause(400, '.'),
    { phonemes: words, mark: '.', endsParagraph: false },
    clause(1300, '.'),
  ]);
  for (const { phonemes } of long) expect(phonemes.length).toBeLessThanOrEqual(MAX_CHUNK_TOKENS);
  const letters = long.map(({ phonemes }) => phonemes.replace(/[^a-d]/g, '')).join('');
  expect(letters).toHaveLength(400 + 400 + 1200 + 1300);
});
