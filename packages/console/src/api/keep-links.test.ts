import { expect, it } from 'vitest';
import { keepLinks } from './keep-links.ts';

const NOW = 1_000_000_000;
const link = (id: string, inSeconds: number) => `https://files.test/v1/${id}/file?e=${NOW / 1000 + inSeconds}&k=1&s=x`;
const page = (inSeconds: number, ids: readonly string[]) => ({
  items: ids.map((id) => ({ id, progress: inSeconds, outputs: [{ id: `${id}o`, url: link(id, inSeconds) }] })),
});

it('keeps the link of a file while it works, also if the list has moved, and takes everything else', () => {
  const kept = keepLinks(page(2_000, ['a', 'b']), page(2_010, ['n', 'a', 'b']), NOW);
  expect(kept).toEqual({
    items: [
      { id: 'n', progress: 2_010, outputs: [{ id: 'no', url: link('n', 2_010) }] },
      { id: 'a', progress: 2_010, outputs: [{ id: 'ao', url: link('a', 2_000) }] },
      { id: 'b', progress: 2_010, outputs: [{ id: 'bo', url: link('b', 2_000) }] },
    ],
  });
});

it('takes a new link before the old one ends', () => {
  expect(keepLinks(page(899, ['a']), page(3_600, ['a']), NOW)).toEqual(page(3_600, ['a']));
});

it('takes another file, other text, and data without a past', () => {
  expect(keepLinks(link('a', 2_000), link('b', 2_000), NOW)).toBe(link('b', 2_000));
  expect(keepLinks('queued', 'done', NOW)).toBe('done');
  expect(keepLinks('https://a.test/?x=1', 'https://a.test/?x=2', NOW)).toBe('https://a.test/?x=2');
  expect(keepLinks(undefined, page(5, ['a']), NOW)).toEqual(page(5, ['a']));
  expect(keepLinks({ a: 1 }, null, NOW)).toBeNull();
});
