import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { submitUntilDecided } from '../harness/submit-until-decided.ts';

const LARGE = sized({ ci: 1_000, full: 2_000 });
const SMALL_ACCOUNTS = sized({ ci: 20, full: 40 });
const SMALL_EACH = 5;
const SENDERS = 24;
/** Only the order of starts matters, so each generation ends immediately without outputs. */
const CHEAP = 'sim:fail:internal';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 2, workers: 0 });
});
afterAll(() => stack?.stop());

async function submitMany(account: TestAccount, count: number): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: Math.min(SENDERS, count) }, async (_, n) => {
      while (left > 0) {
        left -= 1;
        const answer = await submitUntilDecided(stack.api(n % 2).url, { key: account.key, prompt: CHEAP });
        expect([200, 201]).toContain(answer.status);
      }
    }),
  );
}

test('one account with many queued generations does not delay accounts with 5 each', {
  timeout: 180_000,
}, async () => {
  const large = await makeAccount(stack);
  await submitMany(large, LARGE);
  const small = await Promise.all(Array.from({ length: SMALL_ACCOUNTS }, () => makeAccount(stack)));
  await Promise.all(small.map((account) => submitMany(account, SMALL_EACH)));

  const startedAtMs = Date.now();
  await Promise.all([stack.start('worker'), stack.start('worker')]);
  const ids = small.map((account) => account.accountId);
  await until(
    'all small ones have started',
    async () => {
      const { rowCount } = await stack.db.pool.query(
        'SELECT 1 FROM generation WHERE account_id = ANY ($1) AND started_at IS NULL LIMIT 1',
        [ids],
      );
      return rowCount === 0;
    },
    90_000,
  );
  const { rows } = await stack.db.pool.query<{ small: number; first: Date; last: Date; finished: number }>(
    `WITH s AS (SELECT count(*)::int AS n, min(started_at) AS first, max(started_at) AS last FROM generation WHERE account_id = ANY ($1))
     SELECT s.n AS small, s.first, s.last,
       (SELECT count(*)::int FROM generation g WHERE g.account_id = $2 AND g.completed_at <= s.last) AS finished FROM s`,
    [ids, large.accountId],
  );
  const row = rows[0] as (typeof rows)[number];
  console.log(
    `${row.small} small ones started within ${row.last.getTime() - row.first.getTime()} ms ` +
      `(${row.last.getTime() - startedAtMs} ms from the order to start workers); the large account had finished ${row.finished} of ${LARGE}`,
  );
  expect(row.small).toBe(SMALL_ACCOUNTS * SMALL_EACH);
  expect(row.finished).toBeLessThan(LARGE / 10);
  await stack.assertBooks();
});
