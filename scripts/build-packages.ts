import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage, PUBLISHED } from './packages/build-package.ts';

const HELP = `Builds the packages that are published, each into packages/<name>/dist. Then: npm publish packages/<name>/dist

Usage: npm run packages:build

Packages: ${PUBLISHED.join(', ')}
`;
const ROOT = resolve(import.meta.dirname, '..');

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) process.stdout.write(HELP);
else {
  for (const name of PUBLISHED) {
    const target = join(ROOT, 'packages', name, 'dist');
    await buildPackage(name, target);
    console.log(target);
  }
}
