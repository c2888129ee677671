import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { submitGeneration } from '@atelier/server/domain/generations/generations.store.ts';
import { submissionOf } from '@atelier/server/domain/generations/testing/create-money-path.ts';
import { createDb, withStatementTx } from '@atelier/server/platform/db.ts';
import { makeAccount, type TestAccount } from '../e2e/harness/account.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { runWrk } from './load/run-wrk.ts';
import { alternate } from './rounds.ts';

const ACCOUNTS = 200;
const IN_FLIGHT = 32;
const script = fileURLToPath(new URL('./load/submit.lua', import.meta.url));

/** Submits per second over HTTP against the same statement from a pool. */
export const benchSubmit: Bench = async ({ services, seconds, rounds, say }) => {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const stack = await startStack({ services, apis: 1, workers: 0, env: { CHECK_RESPONSES: 'false' } });
  try {
    const accounts = await Promise.all(
      Array.from({ length: ACCOUNTS }, () =>
        makeAccount(stack, { coins: 1_000_000_000, rateLimit: 1_000_000_000, keyRateLimit: 1_000_000_000 }),
      ),
    );
    const keys = join(dir, 'keys.txt');
    await writeFile(keys, accounts.map((account) => account.key).join('\n'));
    const overHttp = async (time: number) => {
      const result = await runWrk({
        url: `${stack.api().url}/v1/generations`,
        script,
        args: [keys],
        seconds: time,
        connections: IN_FLIGHT,
      });
      if (result.failures > 0) throw new Error(`${result.failures} submits failed`);
      return result.requestsPerSecond;
    };
    await overHttp(2);
    await bareSubmits(stack.appUrl, accounts, 2);
    const { ours, baseline, ratio } = await alternate({
      rounds,
      ours: () => overHttp(seconds / rounds),
      baseline: () => bareSubmits(stack.appUrl, accounts, seconds / rounds),
    });
    say(`bare SQL    ${baseline.toFixed(0).padStart(6)} submits/s, ${IN_FLIGHT} in flight, ${ACCOUNTS} accounts`);
    say(`over HTTP   ${ours.toFixed(0).padStart(6)} submits/s   ratio ${ratio.toFixed(2)}`);
    await stack.assertBooks();
    return { bareRate: baseline, ourRate: ours, ratio };
  } finally {
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
};

async function bareSubmits(url: string, accounts: readonly TestAccount[], seconds: number): Promise<number> {
  const db = createDb({ url, applicationName: 'bench-bare', maxConnections: IN_FLIGHT });
  const deadline = performance.now() + seconds * 1000;
  let count = 0;
  const one = async () => {
    while (performance.now() < deadline) {
      const account = accounts[count % accounts.length] as TestAccount;
      count += 1;
      const { outcome } = await withStatementTx(db, (tx) =>
        submitGeneration(tx, submissionOf(account, { params: { prompt: 'a lighthouse at dusk' }, maxCoins: 100 })),
      );
      if (outcome !== 'created') throw new Error(`a bare submit returned ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
  await db.pool.end();
  return count / seconds;
}
