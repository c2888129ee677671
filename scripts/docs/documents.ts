import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readPages } from './pages.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Document {
  /** Relative to the root of the repository. */
  readonly source: string;
  readonly text: string;
}

/** Every document whose code blocks are executed: the pages of the site, and the README. */
export const documents = (): Document[] =>
  [...readPages().map(({ source }) => source), 'README.md'].map((source) => ({
    source,
    text: readFileSync(join(ROOT, source), 'utf8'),
  }));

/** Documents whose blocks another test executes, because they start the service themselves. */
export const EXECUTED_BY: Readonly<Record<string, string>> = {
  'docs/operate/README.md': 'e2e/docs/operate.e2e.test.ts',
  'docs/operate/backup.md': 'e2e/operate/restore.e2e.test.ts',
  'docs/operate/containers.md': 'scripts/test-containers',
  'docs/operate/edge/README.md': 'e2e/docs/operate.e2e.test.ts',
  'docs/operate/pgbouncer.md': 'e2e/operate/pgbouncer.e2e.test.ts',
  'docs/operate/systemd.md': 'scripts/test-systemd',
};
