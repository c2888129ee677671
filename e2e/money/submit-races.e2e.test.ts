import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, makeKey } from '../harness/account.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { submitUntilDecided } from '../harness/submit-until-decided.ts';

const AT_ONCE = 100;

let stack: Stack;

/** Replays, conflicts, balances and caps under races are in submit-races.db.test.ts; here two processes race. */
beforeAll(async () => {
  // No in-memory lock can help two processes; without a worker, accepted generations stay queued.
  stack = await startStack({ services: inject('services'), apis: 2, workers: 0 });
});
afterAll(() => stack?.stop());

test('two keys of one account race for its last 70 coins: exactly 10 together, neither key above its cap of 42', async () => {
  const account = await makeAccount(stack, { coins: 70, monthlyCap: 42 });
  const other = await makeKey(stack, account, { monthlyCap: 42 });
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) =>
      submitUntilDecided(stack.api(n % 2).url, { key: n % 4 < 2 ? account.key : other.key }),
    ),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
  expect(answers.filter((answer) => answer.status === 402)).toHaveLength(90);
  const { rows } = await stack.db.pool.query(
    `SELECT (SELECT count(*)::int FROM generation WHERE account_id = $1) AS generations,
       (SELECT count(*)::int FROM transfer WHERE account_id = $1 AND kind = 'hold') AS holds,
       (SELECT held FROM account WHERE id = $1) AS held`,
    [account.accountId],
  );
  expect(rows).toEqual([{ generations: 10, holds: 10, held: 70 }]);
  await stack.assertBooks();
});
