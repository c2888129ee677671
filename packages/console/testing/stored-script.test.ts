import { describe, expect, it } from 'vitest';
import { edited, endpoints, failed, LIVE } from './demo-data.ts';
import { HOSTILE } from './hostile-text.ts';
import { openConsole } from './open-console.ts';
import { enterCode } from './views.ts';

/** All pages in one test, on a machine that may be slow. */
const TIMEOUT_MS = 300_000;
const SCREEN = { width: 1440, scheme: 'light' } as const;
const of = (path: string): string => `/accounts/${LIVE}${path}`;

/** The pages that show text of others. */
const PAGES = {
  console: [
    of('/keys'),
    of('/webhooks'),
    of(`/webhooks/${endpoints[0]!.id}`),
    of('/events'),
    of('/generations'),
    of(`/generations/${edited.id}`),
    of(`/generations/${failed.id}`),
    of('/members'),
    of('/budgets'),
    of('/ledger'),
    of('/security'),
    '/pair',
  ],
  desk: ['/', '/accounts', `/accounts/${LIVE}`, '/models', '/models/canvas', '/switches', '/failures', '/audit'],
} as const;

describe.each(['console', 'desk'] as const)('%s', (which) => {
  it('shows text of others as text, and runs nothing of it', { timeout: TIMEOUT_MS }, async () => {
    await using pages = await openConsole(which);
    for (const path of PAGES[which]) {
      const view = { name: `${which} ${path}`, path, cookie: HOSTILE, ...(path === '/pair' ? { act: enterCode } : {}) };
      // A violation of the policy, such as an inline handler, is an error of the page, which `show` throws.
      await pages.show(view, SCREEN, async (page) => {
        const seen = await page.evaluate<object>(`({
          ran: window.ran === true,
          injected: document.querySelectorAll('img[src="x"], main script, [onerror]').length,
          shown: document.body.innerText.includes('<img src=x onerror='),
          scripts: [...document.querySelectorAll('a')].filter((each) => each.protocol === 'javascript:').length,
        })`);
        expect({ path, ...seen }).toEqual({ path, ran: false, injected: 0, shown: true, scripts: 0 });
      });
    }
  });
});
