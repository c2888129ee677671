import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readExemplars } from './classifiers/read-exemplars.ts';
import { checkPromptFloor } from './floor/check-prompt-floor.ts';
import { SAFETY_CATEGORIES } from './verdict.ts';

const FLOOR_RECALL = 0.7;
const sets = parse(readFileSync(new URL('labelled-prompts.yaml', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, string[]>
>;
const prompts = Object.values(sets).flatMap((lists) =>
  Object.entries(lists).flatMap(([category, texts]) => texts.map((text) => ({ category, text }))),
);

test('the set is large enough to measure with, and half of it is safe', () => {
  expect(prompts.length).toBeGreaterThanOrEqual(120);
  expect(prompts.filter(({ category }) => category === 'safe').length).toBeGreaterThanOrEqual(prompts.length / 2);
  expect(new Set(prompts.map(({ category }) => category))).toEqual(new Set([...SAFETY_CATEGORIES, 'safe']));
});

test('no prompt is duplicated or among the exemplars', async () => {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/\P{L}+/gu, ' ')
      .trim();
  const exemplars = new Set((await readExemplars()).map(({ text }) => plain(text)));
  const texts = prompts.map(({ text }) => plain(text));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.filter((text) => exemplars.has(text))).toEqual([]);
});

test('the floor has no false positives and finds most violations', () => {
  const alarms = prompts.filter(({ category, text }) => category === 'safe' && checkPromptFloor(text) !== null);
  expect(alarms).toEqual([]);
  const minors = prompts.filter(({ category }) => category === 'sexual-minors');
  const found = minors.filter(({ text }) => checkPromptFloor(text) !== null).length;
  console.info(`floor: ${found} of ${minors.length} found, no false alarm in ${prompts.length - minors.length} others`);
  expect(found / minors.length).toBeGreaterThanOrEqual(FLOOR_RECALL);
});
