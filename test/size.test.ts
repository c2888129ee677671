import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { sample, sized } from './size.ts';

const ROOT = resolve(import.meta.dirname, '..');
const items = Array.from({ length: 50 }, (_, n) => n);

test('a sample has the asked size, keeps the order, and is the same within a run', () => {
  const drawn = sample(items, { ci: 10, of: 'numbers' });
  expect(drawn).toHaveLength(sized({ ci: 10, full: 50 }));
  expect(drawn).toEqual(items.filter((item) => drawn.includes(item)));
  expect(sample(items, { ci: 10, of: 'numbers' })).toEqual(drawn);
  expect(sample(items, { ci: 50, of: 'numbers' })).toEqual(items);
});

test('only the soak runner and this module know the full size', () => {
  const readers = globSync(['{e2e,packages,scripts,test,bench,chaos}/**/*.{ts,mjs}'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  }).filter((path) => readFileSync(resolve(ROOT, path), 'utf8').includes(['TEST', 'SIZE'].join('_')));
  expect(readers.toSorted()).toEqual(['scripts/stages/soak-stages.ts', 'test/size.ts', 'test/soak.vitest.config.ts']);
});
