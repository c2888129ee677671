import type { Page } from 'playwright-core';
import { BROKEN, EMPTY, SIGNED_OUT } from './demo-answers.ts';
import { LIVE } from './demo-data.ts';
import type { View } from './views.ts';

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();

async function compare(page: Page): Promise<void> {
  await page.getByLabel('Base price per output').fill('8');
  await press('Compare')(page);
  await page.getByText('What the newest generations would have cost').waitFor();
}

async function search(page: Page): Promise<void> {
  await page.getByRole('searchbox').fill(LIVE);
  await press('Search')(page);
  await page.getByText(/CUDA|Not found/).waitFor();
}

/** Every view of the operator's desk, with its empty and error states. */
export const DESK_VIEWS: readonly View[] = [
  { name: 'desk-sign-in', path: '/sign-in', cookie: SIGNED_OUT },
  { name: 'desk-overview', path: '/' },
  { name: 'desk-overview-empty', path: '/', cookie: EMPTY },
  { name: 'desk-overview-error', path: '/', cookie: BROKEN },
  { name: 'desk-accounts', path: '/accounts' },
  { name: 'desk-accounts-empty', path: '/accounts', cookie: EMPTY },
  { name: 'desk-account', path: `/accounts/${LIVE}` },
  { name: 'desk-account-grant', path: `/accounts/${LIVE}`, act: press('Grant coins') },
  { name: 'desk-account-limits', path: `/accounts/${LIVE}`, act: press('Change limits') },
  { name: 'desk-models', path: '/models' },
  { name: 'desk-model', path: '/models/canvas' },
  { name: 'desk-model-compared', path: '/models/canvas', act: compare },
  { name: 'desk-switches', path: '/switches' },
  { name: 'desk-failures', path: '/failures' },
  { name: 'desk-failures-empty', path: '/failures', cookie: EMPTY },
  { name: 'desk-search', path: '/search', act: search },
  { name: 'desk-search-empty', path: '/search', cookie: EMPTY, act: search },
  { name: 'desk-books', path: '/books' },
  { name: 'desk-audit', path: '/audit' },
];
