import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { readPages, urlOf } from './docs/pages.ts';
import { serveSite } from './docs/serve-site.ts';

const HELP = `Takes screenshots of the built documentation: in light and dark, at the width of a desktop and of a phone.

Usage: npm run docs:shots [-- --out DIR] [-- --full] [-- <page> ...]

  --out    where to write the pictures (default: .cache/docs-shots)
  --site   the built site (default: docs/site/dist)
  --full   the whole page instead of the first screen
  --json   print the paths as JSON
  --help   show this text

Pages are named by their path, such as quickstart or operate/catalog; home is the first page.
`;

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const DEFAULT_PAGES = ['home', 'quickstart', 'webhooks', 'api/generations', 'how-it-works', 'gallery'];
const SCREENS = [
  { width: 1440, height: 900, scheme: 'light' },
  { width: 1440, height: 900, scheme: 'dark' },
  { width: 390, height: 844, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: '.cache/docs-shots' },
    site: { type: 'string', default: 'docs/site/dist' },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const known = readPages().map(({ id }) => (id === '' ? 'home' : id));
const unknown = positionals.filter((name) => !known.includes(name));

if (values.help) process.stdout.write(HELP);
else if (unknown.length > 0) {
  console.error(`Unknown page: ${unknown.join(', ')}\n\n${HELP}`);
  process.exitCode = 2;
} else await takeScreenshots(positionals.length > 0 ? positionals : DEFAULT_PAGES);

async function takeScreenshots(names: readonly string[]): Promise<void> {
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  await using site = await serveSite(resolve(values.site));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  const paths: string[] = [];
  try {
    for (const { width, height, scheme } of SCREENS) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
      for (const name of names) {
        const page = await context.newPage();
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(String(error)));
        page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
        await page.goto(`${site.url}${urlOf(name === 'home' ? '' : name)}`, { waitUntil: 'networkidle' });
        const path = join(out, `${name.replaceAll('/', '-')}-${width}-${scheme}.png`);
        await page.screenshot({ path, fullPage: values.full });
        if (errors.length > 0) throw new Error(`${name}: ${errors.join('; ')}`);
        paths.push(path);
        if (!values.json) console.log(path);
        await page.close();
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
  if (values.json) console.log(JSON.stringify(paths));
}
