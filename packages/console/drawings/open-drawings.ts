import { type Browser, chromium, type Page } from 'playwright-core';
import { buildDrawings, type Drawing } from './build-drawings.ts';
import { serveDrawings } from './serve-drawings.ts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const HEIGHT = 900;
/** A desktop and a phone. */
export const WIDTHS = [1440, 390] as const;
export const SCHEMES = ['light', 'dark'] as const;

export interface DrawingView {
  readonly name: Drawing;
  readonly width: (typeof WIDTHS)[number];
  readonly scheme: (typeof SCHEMES)[number];
}

export interface OpenDrawings extends AsyncDisposable {
  /** Opens a drawing and passes the page on. Throws if the page reported an error, such as a violation of the policy. */
  show(view: DrawingView, use: (page: Page) => Promise<void>): Promise<void>;
}

/** Builds and serves the drawings and starts a browser for them. */
export async function openDrawings(): Promise<OpenDrawings> {
  await using stack = new AsyncDisposableStack();
  const built = stack.use(await buildDrawings());
  const served = stack.use(await serveDrawings(built.dir));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  stack.defer(() => browser.close());
  const open = stack.move();
  return {
    show: (view, use) => showDrawing({ browser, url: served.url, view, use }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function showDrawing(options: {
  browser: Browser;
  url: string;
  view: DrawingView;
  use: (page: Page) => Promise<void>;
}): Promise<void> {
  const { browser, url, view, use } = options;
  const context = await browser.newContext({
    viewport: { width: view.width, height: HEIGHT },
    colorScheme: view.scheme,
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on(
      'console',
      (message) => message.type() === 'error' && errors.push(`${message.text()} ${message.location().url}`),
    );
    page.on('requestfailed', (request) => errors.push(`${request.url()} failed`));
    await page.goto(`${url}/${view.name}.html`, { waitUntil: 'load' });
    await page.evaluate('document.fonts.ready');
    await use(page);
    if (errors.length > 0) throw new Error(`${view.name}: ${errors.join('; ')}`);
  } finally {
    await context.close();
  }
}
