import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findMissingBuilds, type Lockfile } from '../scripts/check/find-missing-builds.ts';

const read = async (): Promise<Lockfile> =>
  JSON.parse(await readFile(resolve(import.meta.dirname, '../package-lock.json'), 'utf8'));

/**
 * The registry that this lockfile was made with has these tools for some platforms only, so their other builds cannot be in it. Remove a name
 * when `npm install --package-lock-only` against a complete registry has added its builds. CONTRIBUTING.md says what was built where.
 */
const INCOMPLETE = [
  '@astrojs/compiler-binding',
  '@biomejs/biome',
  '@neplex/vectorizer',
  'deno',
  'oxc-parser',
  'pagefind',
  'rolldown',
];

test('the lockfile has the builds of all platforms, except those of the listed tools', async () => {
  const missing = findMissingBuilds(await read());
  expect([...new Set(missing.map((each) => each.of))].sort()).toEqual(INCOMPLETE);
});

test('a build that is missing is found, beside its package and above it', () => {
  const builds = { '@t/linux-x64': '1.0.0', '@t/linux-arm64': '1.0.0' };
  const packages = {
    'node_modules/a/node_modules/t': { optionalDependencies: builds },
    'node_modules/a/node_modules/@t/linux-x64': {},
  };
  expect(findMissingBuilds({ packages })).toEqual([{ of: 't', name: '@t/linux-arm64', version: '1.0.0' }]);
  expect(findMissingBuilds({ packages: { ...packages, 'node_modules/@t/linux-arm64': {} } })).toEqual([]);
});
