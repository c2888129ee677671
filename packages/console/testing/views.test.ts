import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../../test/size.ts';
import { findFaults, SCREENS } from './find-faults.ts';
import { type OpenConsole, openConsole } from './open-console.ts';
import { VIEWS } from './views.ts';

const MAX_FIRST_LOAD_BYTES = 200_000;

let pages: OpenConsole;

beforeAll(async () => {
  pages = await openConsole();
});

afterAll(() => pages[Symbol.asyncDispose]());

const shown = VIEWS.flatMap((view) => SCREENS.map((screen) => ({ name: view.name, ...screen, view, screen })));

it.each(sample(shown, { ci: 40, of: 'views' }))(
  'view $name at $width in $scheme is accessible and does not scroll sideways',
  async ({ view, screen }) => {
    await pages.show(view, screen, async (page) => {
      expect(await findFaults(page, screen)).toEqual({ sideways: 0, violations: [] });
    });
  },
);

describe('first load', () => {
  it('is at most 200 KB of JavaScript, gzipped', async () => {
    const loaded = new Map<string, number>();
    const view = VIEWS.find(({ name }) => name === 'keys')!;
    await pages.show({ ...view, name: 'first load' }, SCREENS[0]!, async (page) => {
      const scripts = await page.evaluate<string[]>(
        `[...document.querySelectorAll('script[src], link[rel=modulepreload]')].map((each) => new URL(each.src ?? each.href).pathname)`,
      );
      for (const path of scripts) loaded.set(path, gzipSync(readFileSync(join(pages.dir, path))).length);
    });
    expect(loaded.size).toBeGreaterThan(1);
    expect([...loaded.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  });

  it('inlines nothing, and ships the license of each font', () => {
    const html = readFileSync(join(pages.dir, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|style="|data:/);
    const css = globSync('assets/*.css', { cwd: pages.dir }).map((path) => readFileSync(join(pages.dir, path), 'utf8'));
    expect(css.join('')).not.toContain('url(data:');
    expect(globSync('assets/*-license.txt', { cwd: pages.dir })).toHaveLength(2);
  });
});
