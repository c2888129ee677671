import { expect, test } from 'vitest';
import { generations } from '../../../testing/demo-data.ts';
import { changeInPages, withProgress } from './generation-queries.ts';

const pages = { pages: [{ items: generations, nextCursor: null }], pageParams: [null] };
const report = { status: 'processing', progress: 0.5, queuePosition: null } as const;

test('a report changes the generation in the list', () => {
  const { id } = generations[1]!;
  const changed = changeInPages(pages, id, (item) => withProgress(item, { id, ...report }));
  expect(changed.pages[0]!.items[1]!.progress).toBe(0.5);
});

test('a report of an unknown generation changes nothing', () => {
  expect(changeInPages(pages, 'unknown', (item) => item)).toBe(pages);
});

test('a late report does not reopen what has ended', () => {
  const ended = generations[2]!;
  expect(withProgress(ended, { id: ended.id, ...report })).toBe(ended);
});
