import type { WebhookEvent } from '@atelier/contract';
import { expect, test } from 'vitest';
import { addEvent } from './event-queries.ts';

const event = (id: string) => ({ id }) as WebhookEvent;
const shown = {
  pages: [
    { items: [event('c'), event('b')], nextCursor: 'next' },
    { items: [event('a')], nextCursor: null },
  ],
  pageParams: [null, 'next'],
};
const idsOf = ({ pages }: typeof shown) => pages.flatMap(({ items }) => items.map(({ id }) => id));

test('a new event comes first, and the pages stay', () => {
  const added = addEvent(shown, event('d'));
  expect(idsOf(added as typeof shown)).toEqual(['d', 'c', 'b', 'a']);
  expect(added.pages.map(({ nextCursor }) => nextCursor)).toEqual(['next', null]);
});

test('an event of any page is not added again', () => {
  expect(addEvent(shown, event('a'))).toBe(shown);
});
