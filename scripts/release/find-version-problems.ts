import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Place {
  readonly file: string;
  /** Its first group is the version. */
  readonly pattern: RegExp;
}

const MANIFEST = /^ {2}"version": "([^"]+)"/gm;
const PLACES: readonly Place[] = [
  { file: 'package-lock.json', pattern: /^ {2}"version": "([^"]+)"/gm },
  { file: 'packages/sdk/src/version.ts', pattern: /VERSION = '([^']+)'/g },
  { file: 'Dockerfile', pattern: /^ARG VERSION=(.+)$/gm },
  { file: 'compose.yaml', pattern: /\$\{ATELIER_VERSION:-([^}]+)\}/g },
  { file: 'deploy/helm/atelier/Chart.yaml', pattern: /^(?:version|appVersion): (.+)$/gm },
];

/** Where the repository has another version. The Python client has versions of its own. */
export async function findVersionProblems(root: string, version: string): Promise<string[]> {
  const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: root }).sort()];
  const places = [...manifests.map((file): Place => ({ file, pattern: MANIFEST })), ...PLACES];
  const problems = await Promise.all(
    places.map(async ({ file, pattern }) => {
      const found = Array.from((await readFile(join(root, file), 'utf8')).matchAll(pattern), ([, each]) => each);
      if (found.length === 0) return [`${file} has no version`];
      return found.filter((each) => each !== version).map((each) => `${file} has version ${each}, not ${version}`);
    }),
  );
  return problems.flat();
}
