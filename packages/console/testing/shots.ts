import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DESK_VIEWS } from './desk-views.ts';
import { openConsole, type Screen } from './open-console.ts';
import { VIEWS } from './views.ts';

const EVERY_VIEW = [...VIEWS, ...DESK_VIEWS];

const HELP = `Takes screenshots of every view of the console with fixed data: in light and dark, at the width of a desktop and of a phone.

Usage: npm run console:shots [-- --out DIR] [-- --german] [-- <view> ...]

  --out     where to write the pictures (default: .cache/console)
  --german  in German, without the views that need a click: those look for English words
  --json    print the paths as JSON
  --help    show this text

Views: ${EVERY_VIEW.map(({ name }) => name).join(', ')}
`;

const SCREENS: readonly Screen[] = [
  { width: 1440, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: '.cache/console' },
    german: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !EVERY_VIEW.some((view) => view.name === name));

if (values.help) {
  process.stdout.write(HELP);
} else if (unknown.length > 0) {
  console.error(`Unknown view: ${unknown.join(', ')}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  await takeScreenshots(resolve(values.out));
}

async function takeScreenshots(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const paths: string[] = [];
  const language = values.german ? { ending: '-de', locale: 'de-DE' } : { ending: '', locale: 'en-GB' };
  for (const [which, views] of Object.entries({ console: VIEWS, desk: DESK_VIEWS })) {
    const wanted = views.filter(
      ({ name, act }) => (positionals.length === 0 || positionals.includes(name)) && !(values.german && act),
    );
    if (wanted.length === 0) continue;
    await using pages = await openConsole(which as 'console' | 'desk');
    for (const view of wanted) {
      for (const screen of SCREENS) {
        const path = join(out, `${view.name}-${screen.width}-${screen.scheme}${language.ending}.png`);
        await pages.show(view, { ...screen, locale: language.locale }, async (page) => {
          await page.screenshot({ path, fullPage: true });
        });
        paths.push(path);
        if (!values.json) console.log(path);
      }
    }
  }
  if (values.json) console.log(JSON.stringify(paths));
}
