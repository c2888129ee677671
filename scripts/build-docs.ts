import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './docs/build-site.ts';
import { readPages } from './docs/pages.ts';

const HELP = `Builds the documentation site. The API serves it at /guide.

Usage: npm run docs:build [-- --out DIR]

  --out   where to write it (default: docs/site/dist)
  --json  print the result as JSON
  --help  show this text
`;

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/site/dist' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else {
  const dir = resolve(values.out);
  await buildSite(dir);
  const pages = readPages().length;
  console.log(values.json ? JSON.stringify({ dir, pages }) : `${pages} pages in ${dir}`);
}
