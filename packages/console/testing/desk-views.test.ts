import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sample } from '../../../test/size.ts';
import { DESK_VIEWS } from './desk-views.ts';
import { findFaults, SCREENS } from './find-faults.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const MAX_FIRST_LOAD_BYTES = 200_000;

let desk: OpenConsole;

beforeAll(async () => {
  desk = await openConsole('desk');
});
afterAll(() => desk[Symbol.asyncDispose]());

const shown = DESK_VIEWS.flatMap((view) => SCREENS.map((screen) => ({ name: view.name, ...screen, view, screen })));

it.each(sample(shown, { ci: 10, of: 'views' }))(
  'view $name at $width in $scheme is accessible and does not scroll sideways',
  async ({ view, screen }) => {
    await desk.show(view, screen, async (page) => {
      expect(await findFaults(page, screen)).toEqual({ sideways: 0, violations: [] });
    });
  },
);

it('inlines nothing, and its first load is at most 200 KB of JavaScript, gzipped', () => {
  const html = readFileSync(join(desk.dir, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<style|<script(?![^>]* src=)|style="|data:/);
  const scripts = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path = '']) => path);
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.map((path) => gzipSync(readFileSync(join(desk.dir, path))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  expect(globSync('assets/*-license.txt', { cwd: desk.dir })).toHaveLength(2);
});
