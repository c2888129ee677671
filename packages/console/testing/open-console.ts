import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { buildConsole } from '../build-console.ts';
import { NOW } from './demo-data.ts';
import { startDemoServer } from './demo-server.ts';
import type { View } from './views.ts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const HEIGHT = 900;
const TIMEOUT_MS = 20_000;

export interface Screen {
  readonly width: 1440 | 390;
  readonly scheme: 'light' | 'dark';
  /** English without it. */
  readonly locale?: string;
}

export interface OpenConsole extends AsyncDisposable {
  readonly dir: string;
  /** Opens a view and passes the page on. Throws if the page reported an error, such as a violation of the policy. */
  show(view: View, screen: Screen, use: (page: Page) => Promise<void>): Promise<void>;
}

/** Builds the pages, serves them with fixed data and starts a browser. */
export async function openConsole(which: 'console' | 'desk' = 'console'): Promise<OpenConsole> {
  await using stack = new AsyncDisposableStack();
  const built = stack.use(await buildConsole(which));
  const served = stack.use(await startDemoServer(built.dir));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  stack.defer(() => browser.close());
  // One page per screen: a new page for each view would start a process and compile the scripts again.
  const pages = new Map<string, Promise<Page>>();
  const pageOf = (screen: Screen) => {
    const key = `${screen.width} ${screen.scheme} ${screen.locale}`;
    const page = pages.get(key) ?? newPage(browser, screen);
    pages.set(key, page);
    return page;
  };
  const open = stack.move();
  return {
    dir: built.dir,
    show: async (view, screen, use) => showView({ page: await pageOf(screen), url: served.url, view, use }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function newPage(browser: Browser, screen: Screen): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: screen.width, height: HEIGHT },
    colorScheme: screen.scheme,
    reducedMotion: 'reduce',
    locale: screen.locale ?? 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  return page;
}

async function showView(options: {
  page: Page;
  url: string;
  view: View;
  use: (page: Page) => Promise<void>;
}): Promise<void> {
  const { page, url, view, use } = options;
  const errors: string[] = [];
  const onError = (error: Error) => errors.push(String(error));
  const onMessage = (message: ConsoleMessage) => {
    // A refused request is part of the view that shows the refusal.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      errors.push(message.text());
    }
  };
  page.on('pageerror', onError).on('console', onMessage);
  try {
    if (view.cookie !== undefined) {
      const [name = '', value = ''] = view.cookie.split('=');
      await page.context().addCookies([{ name, value, url }]);
    }
    await page.goto(`${url}${view.path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
    await view.act?.(page);
    await page.evaluate('document.fonts.ready');
    await use(page);
    if (errors.length > 0) throw new Error(`${view.name}: ${errors.join('; ')}`);
  } finally {
    page.off('pageerror', onError).off('console', onMessage);
    // A view may keep its choices, such as the language, and its place in the page.
    await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => {});
    await page.context().clearCookies();
  }
}
