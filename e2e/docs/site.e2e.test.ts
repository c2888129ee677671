import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problems } from '@atelier/contract';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findFaults, SCREENS } from '../../packages/console/testing/find-faults.ts';
import type { Screen } from '../../packages/console/testing/open-console.ts';
import { type BuiltSite, buildTemporarySite } from '../../scripts/docs/build-site.ts';
import { findDeadLinks } from '../../scripts/docs/find-dead-links.ts';
import { readPages, SITE_PATH } from '../../scripts/docs/pages.ts';
import { call } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';

const CHROMIUM_PATH = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const BUILD_TIMEOUT_MS = 300_000;
const WIDE: Screen = { width: 1440, scheme: 'light' };

let site: BuiltSite;
let stack: Stack;

beforeAll(async () => {
  site = await buildTemporarySite();
  stack = await startStack({ services: inject('services'), workers: 0, env: { GUIDE_DIR: site.dir } });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await stack?.stop();
  await site?.[Symbol.asyncDispose]();
});

describe('the built site', () => {
  test('has no dead link, no dead anchor and no reference to another host', () => {
    expect(findDeadLinks(site.dir)).toEqual([]);
  });

  test('has a page for every problem code', () => {
    for (const code of Object.keys(problems))
      expect(existsSync(join(site.dir, 'problems', code, 'index.html')), code).toBe(true);
  });

  test('lists every page in llms.txt, as Markdown that exists', () => {
    const listed = [...readFileSync(join(site.dir, 'llms.txt'), 'utf8').matchAll(/\]\(\/guide\/(\S+\.md)\)/g)].map(
      ([, path]) => path as string,
    );
    expect(listed.toSorted()).toEqual(
      readPages()
        .map(({ id }) => `${id === '' ? 'index' : id}.md`)
        .toSorted(),
    );
    for (const path of listed) expect(existsSync(join(site.dir, path)), path).toBe(true);
    expect(readFileSync(join(site.dir, 'llms-full.txt'), 'utf8').length).toBeGreaterThan(100_000);
  });
});

test('the API serves it at /guide, with redirects, and both documents for language models', async () => {
  const { url } = stack.api();
  expect((await call(url, 'GET /guide')).headers.location).toBe('/guide/');
  expect((await call(url, 'GET /guide/')).text).toContain('Paid media generation');
  expect((await call(url, 'GET /llms.txt')).text).toContain('/guide/llms.txt');
  expect((await call(url, 'GET /llms-full.txt')).headers['content-type']).toMatch(/^text\/plain/);
  expect((await call(url, 'POST /guide/')).status).toBe(405);
});

describe('in a browser', () => {
  let browser: Browser;
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'atelier-browser-'));
    browser = await chromium.launch({
      executablePath: CHROMIUM_PATH,
      args: ['--no-sandbox', '--disable-gpu'],
      env: { HOME: home },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(home, { recursive: true, force: true });
  });

  /** Opens a page. Fails if it reported an error, such as a violation of the policy, or asked another host. */
  async function visit(path: string, screen: Screen, use: (page: Page) => Promise<void>): Promise<void> {
    const { url } = stack.api();
    const page = await browser.newPage({
      viewport: { width: screen.width, height: 900 },
      colorScheme: screen.scheme,
      reducedMotion: 'reduce',
    });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) faults.push(`asked ${request.url()}`);
    });
    try {
      await page.goto(`${url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await use(page);
      expect(faults, path).toEqual([]);
    } finally {
      await page.close();
    }
  }

  test.each(SCREENS)('pages are accessible and fit into $width pixels, $scheme', async (screen) => {
    for (const path of ['', 'quickstart/', 'pricing/', 'api/objects/', 'gallery/', 'how-it-works/']) {
      await visit(`${SITE_PATH}/${path}`, screen, async (page) => {
        expect(await findFaults(page, screen), path).toEqual({ sideways: 0, violations: [] });
      });
    }
  });

  test('tabs show one language, and all pages keep the choice', async () => {
    await visit('/guide/pricing/', WIDE, async (page) => {
      const shown = page.locator('code-tabs [role=tabpanel]:visible');
      expect(await shown.first().getAttribute('data-language')).toBe('bash');
      await page.getByRole('tab', { name: 'Python' }).first().click();
      for (const panel of await shown.all()) expect(await panel.getAttribute('data-language')).toBe('python');
      await page.reload();
      expect(await shown.first().getAttribute('data-language')).toBe('python');
    });
  });

  test('the search finds a page', async () => {
    await visit('/guide/', WIDE, async (page) => {
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('textbox', { name: 'Search' }).fill('idempotency_conflict');
      await page
        .getByRole('link', { name: /idempotency_conflict/ })
        .first()
        .waitFor();
    });
  });
});
