import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DRAWINGS, type Drawing } from './build-drawings.ts';
import { openDrawings, SCHEMES, WIDTHS } from './open-drawings.ts';

const HELP = `Takes screenshots of the drawings: every page in light and dark, at the width of a desktop and of a phone.

Usage: npm run console:drawings [-- --out DIR] [-- <drawing> ...]

  --out    where to write the pictures (default: .cache/drawings)
  --json   print the paths as JSON
  --help   show this text

Drawings: ${DRAWINGS.join(', ')}
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: '.cache/drawings' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !DRAWINGS.includes(name as Drawing));

if (values.help) {
  process.stdout.write(HELP);
} else if (unknown.length > 0) {
  console.error(`Unknown drawing: ${unknown.join(', ')}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  await takeScreenshots(resolve(values.out));
}

async function takeScreenshots(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  await using drawings = await openDrawings();
  const paths: string[] = [];
  for (const name of DRAWINGS.filter((each) => positionals.length === 0 || positionals.includes(each))) {
    for (const width of WIDTHS) {
      for (const scheme of SCHEMES) {
        const path = join(out, `${name}-${width}-${scheme}.png`);
        await drawings.show({ name, width, scheme }, async (page) => {
          await page.screenshot({ path, fullPage: true });
        });
        paths.push(path);
        if (!values.json) console.log(path);
      }
    }
  }
  if (values.json) console.log(JSON.stringify(paths));
}
