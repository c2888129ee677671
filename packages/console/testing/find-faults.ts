import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Screen } from './open-console.ts';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Each theme and each width once: colours do not depend on the width. */
export const SCREENS: readonly Screen[] = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

/** What is wrong with an open view: serious violations of axe, and by how many pixels it scrolls sideways. */
export async function findFaults(page: Page, screen: Screen) {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>(`axe.run(document, { resultTypes: ['violations'] })`);
  return {
    sideways: Math.max(0, width - screen.width),
    violations: violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })),
  };
}
