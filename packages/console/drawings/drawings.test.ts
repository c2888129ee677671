import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DRAWINGS } from './build-drawings.ts';
import { type OpenDrawings, openDrawings } from './open-drawings.ts';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

let drawings: OpenDrawings;
let axe: string;

beforeAll(async () => {
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  drawings = await openDrawings();
});

afterAll(() => drawings[Symbol.asyncDispose]());

/** Each theme and each width once: colours do not depend on the width. */
const VIEWS = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
] as const;

describe.each(DRAWINGS)('drawing %s', (name) => {
  it.each(VIEWS)('at $width in $scheme is accessible and does not scroll sideways', async (view) => {
    await drawings.show({ name, ...view }, async (page) => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResult>('axe.run(document)');
      const serious = violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
      expect(serious).toEqual([]);
    });
  });
});
