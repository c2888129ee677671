import type { Generation, GenerationPage } from '@atelier/contract';
import { WORKSPACES } from '@atelier/contract';
import type { InfiniteData } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { loadModels } from '../../../testing/load-models.ts';
import { de } from '../../text/de.ts';
import { en } from '../../text/en.ts';
import { asUsable, findTarget, groupCards, nameOfTarget } from './find-target.ts';
import { withNew } from './use-submit.ts';

const cards = await loadModels();

test('an address without a choice leads to the model of the first request', () => {
  const found = findTarget({ ...cards, search: {} })!;
  expect([found.target.model.id, found.target.effect, found.missing]).toEqual(['landscape-painter', null, null]);
});

test('an effect brings its model, and its name in the language of the person', () => {
  const { target } = findTarget({ ...cards, search: { effect: 'oil-painting' } })!;
  expect(target.model.id).toBe('painter');
  expect([nameOfTarget(en, target), nameOfTarget(de, target)]).toEqual(['Oil painting', 'Ölgemälde']);
});

test('what does not exist is named, and another model takes its place', () => {
  expect(findTarget({ ...cards, search: { model: 'gone' } })).toMatchObject({ missing: 'gone' });
  expect(findTarget({ ...cards, search: { effect: 'gone', model: 'canvas' } })).toMatchObject({ missing: 'gone' });
  expect(findTarget({ models: [], effects: [], search: {} })).toBeNull();
});

test('a model that nobody serves is closed for live accounts, and the simulator runs it for test accounts', () => {
  const model = { ...cards.models[0]!, availability: { state: 'closed' as const, reason: 'no_worker' as const } };
  expect(asUsable(model, 'live').availability.state).toBe('closed');
  expect(asUsable(model, 'test').availability).toEqual({ state: 'open', reason: null });
  const closed = { ...model, availability: { ...model.availability, reason: 'operator' as const } };
  expect(asUsable(closed, 'test').availability.state).toBe('closed');
});

test('every card is in exactly one workspace', () => {
  const groups = groupCards({ ...cards, workspaces: WORKSPACES, find: '', text: en });
  expect(groups.map(({ workspace }) => workspace)).toEqual([...WORKSPACES]);
  expect(groups.flatMap(({ models }) => models)).toHaveLength(cards.models.length);
  expect(groups.flatMap(({ effects }) => effects)).toHaveLength(cards.effects.length);
});

test('a search finds names in the language of the person, and ids', () => {
  const search = (find: string, text = en) =>
    groupCards({ ...cards, workspaces: WORKSPACES, find, text }).flatMap(({ models, effects }) =>
      [...models, ...effects].map(({ id }) => id),
    );
  expect(search('ölgem', de)).toEqual(['oil-painting']);
  expect(search('MIGAN-outpaint')).toEqual(['migan-outpaint']);
  expect(search('nothing like this')).toEqual([]);
});

test('a new generation comes first in a list, once', () => {
  const item = (id: string) => ({ id }) as Generation;
  const pages: InfiniteData<GenerationPage, string | null> = {
    pages: [{ items: [item('a')], nextCursor: null }],
    pageParams: [null],
  };
  const added = withNew(pages, item('b'));
  expect(added.pages[0]!.items.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(withNew(added, item('a'))).toBe(added);
});
