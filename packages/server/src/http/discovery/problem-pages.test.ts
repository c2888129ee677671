import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../..');
const PAGES = resolve(import.meta.dirname, '../../../../../docs/problems');

/** Where these problems are raised, and the words of their page that tell the cause. */
const CAUSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rate_limited: {
    'http/bind-operation.ts': '120 requests in 60 seconds with one key',
    'http/routes/event-streams.ts': 'event streams of the account',
    'http/auth/authenticate.ts': 'unknown API keys came from the address',
    'domain/assets/uploads/create-resumable-upload.ts': 'resumable uploads of the account',
    'domain/assets/uploads/with-spool.ts': 'uploads of the account arrive at once',
  },
  unavailable: {
    'http/server/problem-handler.ts': 'The database or the file store does not answer',
    'http/routes/event-streams.ts': 'has as many event streams open',
    'domain/assets/uploads/with-spool.ts': 'receives as many uploads',
    'domain/generations/submit/create-generation.ts': 'The model is closed',
    'domain/generations/submit/submit-once.ts': 'its outcome is unknown',
  },
};
/** For the operator's commands, which nobody calls over HTTP. */
const NOT_OVER_HTTP = ['domain/assets/bucket/bucket-ownership.ts'];

const sources = globSync('**/*.ts', { cwd: SOURCE }).filter((path) => !path.endsWith('.test.ts'));

describe.each(Object.entries(CAUSES))('the page of %s tells every cause', (code, causes) => {
  const page = readFileSync(join(PAGES, `${code}.md`), 'utf8');
  const raised = new RegExp(`Problem\\(\\s*'${code}'`);
  const places = sources.filter((path) => raised.test(readFileSync(join(SOURCE, path), 'utf8')));

  test('each place that raises it has a cause here', () => {
    expect(places.filter((path) => !NOT_OVER_HTTP.includes(path)).sort()).toEqual(Object.keys(causes).sort());
  });
  test.each(Object.entries(causes))('%s', (_path, words) => expect(page).toContain(words));
});
