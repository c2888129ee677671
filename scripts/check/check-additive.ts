import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compareOpenapi } from './compare-openapi.ts';

const CONTRACT = resolve(import.meta.dirname, '../../packages/contract');
const RELEASES = join(CONTRACT, 'releases');

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** The newest description that clients were given. */
function findLastRelease(): string {
  const files = readdirSync(RELEASES).filter((name) => /^\d+\.\d+\.\d+\.json$/.test(name));
  const last = files.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  if (last === undefined) throw new Error('No release to compare with in packages/contract/releases');
  return last;
}

const release = findLastRelease();
const breaks = compareOpenapi({
  previous: readJson(join(RELEASES, release)),
  current: readJson(join(CONTRACT, 'openapi.json')),
});
for (const sentence of breaks) console.error(sentence);
if (breaks.length > 0) {
  console.error(`${breaks.length} change(s) would break clients of ${release}. Version 1 changes only additively.`);
  process.exitCode = 1;
}
