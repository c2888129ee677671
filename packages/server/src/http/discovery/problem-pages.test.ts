import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../..');
const PAGES = resolve(import.meta.dirname, '../../../../../docs/problems');

/** Where these problems are raised, and the words of their page that name the cause. */
const CAUSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rate_limited: {
    'http/auth/admit.ts': '120 requests in 60 seconds with one key',
    'http/routes/event-streams.ts': 'open event streams of the account',
    'http/auth/authenticate.ts': 'requests with unknown API keys',
    'http/console/bind-authorization.ts': 'requests of programs that ask for access',
    'domain/assets/uploads/create-resumable-upload.ts': 'open resumable uploads of the account',
    'domain/assets/uploads/with-spool.ts': 'concurrent uploads of the account',
    'domain/generations/read/generation-waits.ts': 'waiting requests of the account',
    'domain/people/throttle.ts': 'codes to log in the command line',
  },
  unavailable: {
    'http/server/problem-handler.ts': 'The database or the file store does not respond',
    'http/routes/event-streams.ts': 'has too many open event streams',
    'domain/assets/uploads/with-spool.ts': 'has too many concurrent uploads',
    'domain/generations/read/generation-waits.ts': 'has too many waiting requests',
    'domain/generations/submit/create-generation.ts': 'The model is unavailable',
    'domain/operator/switch-board.ts': 'The service is read-only',
    'platform/problem.ts': 'The operator is moving the account',
  },
};
/** Raised by the operator's commands, by sign-in, or by operations of the console and the desk alone. */
const NOT_IN_PUBLIC_API = [
  'domain/assets/bucket/bucket-ownership.ts',
  'domain/moves/copy-files.ts',
  'domain/moves/depart.ts',
  'domain/moves/end-move.ts',
  'domain/moves/move-account.ts',
  'domain/payments/checkouts.ts',
  'http/desk/routes/system.ts',
  'identity/create-identity.ts',
  'payments/stripe-payments.ts',
];

const sources = globSync('**/*.ts', { cwd: SOURCE }).filter((path) => !path.endsWith('.test.ts'));

describe.each(Object.entries(CAUSES))('the page of %s names every cause', (code, causes) => {
  const page = readFileSync(join(PAGES, `${code}.md`), 'utf8');
  const raised = new RegExp(`Problem\\(\\s*'${code}'`);
  const places = sources.filter((path) => raised.test(readFileSync(join(SOURCE, path), 'utf8')));

  test('every place that raises it is listed here', () => {
    expect(places.filter((path) => !NOT_IN_PUBLIC_API.includes(path)).sort()).toEqual(Object.keys(causes).sort());
  });
  test.each(Object.entries(causes))('%s', (_path, words) => expect(page).toContain(words));
});
