import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenConsole, openConsole, type Screen } from './open-console.ts';
import { VIEWS } from './views.ts';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const MAX_FIRST_LOAD_BYTES = 200_000;

let pages: OpenConsole;
let axe: string;

beforeAll(async () => {
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  pages = await openConsole();
});

afterAll(() => pages[Symbol.asyncDispose]());

/** Each theme and each width once: colours do not depend on the width. */
const SCREENS: readonly Screen[] = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

describe.each(VIEWS)('view $name', (view) => {
  it.each(SCREENS)('at $width in $scheme is accessible and does not scroll sideways', async (screen) => {
    await pages.show(view, screen, async (page) => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(screen.width);
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResult>(`axe.run(document, { resultTypes: ['violations'] })`);
      const serious = violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
      expect(serious).toEqual([]);
    });
  });
});

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
