import { expect, test } from 'vitest';
import { suggestName } from './suggest-name.ts';

const KNOWN = ['prompt', 'negative_prompt', 'aspect_ratio', 'image', 'images', 'seed', 'fps', 'num_outputs'];

test.each([
  ['promt', 'prompt'],
  ['rpompt', 'prompt'],
  ['aspectRatio', 'aspect_ratio'],
  ['Negative-Prompt', 'negative_prompt'],
  ['num_output', 'num_outputs'],
  ['imgae', 'image'],
  ['imagess', 'images'],
  ['sed', 'seed'],
  ['colour', null],
  ['x', null],
  ['', null],
  ['constructor', null],
  ['n'.repeat(10_000), null],
])('%s: did you mean %s', (name, meant) => expect(suggestName(name, KNOWN)).toBe(meant));
