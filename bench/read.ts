import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMoneyPath } from '@atelier/server/domain/generations/testing/create-money-path.ts';
import { createDb } from '@atelier/server/platform/db.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { runWrk } from './load/run-wrk.ts';
import { startServer } from './load/start-server.ts';
import { alternate } from './rounds.ts';

const GENERATIONS = 200;
const PAGE = 20;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
const script = fileURLToPath(new URL('./load/paths.lua', import.meta.url));

/** Reads over HTTP against a bare server that runs the same statements: one generation, and a page with its outputs. */
export const benchRead: Bench = async ({ services, seconds, rounds, say }) => {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const stack = await startStack({ services, apis: 1, workers: 0, env: { CHECK_RESPONSES: 'false' } });
  const owner = createDb({ url: stack.ownerUrl, applicationName: 'bench-owner', maxConnections: 2 });
  const account = await makeAccount(stack, { rateLimit: 1_000_000_000, keyRateLimit: 1_000_000_000 });
  const bare = await startServer(new URL('./read/bare-read-server.ts', import.meta.url), {
    ...stack.env,
    BENCH_ACCOUNT_ID: account.accountId,
  });
  try {
    const path = createMoneyPath({ db: stack.db, owner });
    const ids: string[] = [];
    for (let n = 0; n < GENERATIONS; n += 1) {
      const id = await path.begin(account);
      await path.finish(id);
      ids.push(id);
    }
    await owner.pool.query('ANALYZE');
    const measure = async (name: string, paths: readonly string[]) => {
      const file = join(dir, `${name}.txt`);
      await writeFile(file, paths.join('\n'));
      const rate = async (url: string, time: number) => {
        const args = [account.key, file];
        const result = await runWrk({ url, script, args, seconds: time, connections: CONNECTIONS });
        if (result.failures > 0) throw new Error(`${result.failures} reads failed at ${url}`);
        return result.requestsPerSecond;
      };
      const [ourUrl, bareUrl] = [stack.api().url, bare.origin];
      await rate(ourUrl, WARM_UP_SECONDS);
      await rate(bareUrl, WARM_UP_SECONDS);
      const figures = await alternate({
        rounds,
        ours: () => rate(ourUrl, seconds / rounds),
        baseline: () => rate(bareUrl, seconds / rounds),
      });
      say(
        `${name.padEnd(10)} bare ${figures.baseline.toFixed(0).padStart(6)}/s, ours ${figures.ours.toFixed(0).padStart(6)}/s   ratio ${figures.ratio.toFixed(2)}`,
      );
      return figures;
    };
    const get = await measure(
      'get by id',
      ids.map((id) => `/v1/generations/${id}`),
    );
    const list = await measure('list page', [`/v1/generations?limit=${PAGE}`]);
    return {
      getRate: get.ours,
      bareGetRate: get.baseline,
      getRatio: get.ratio,
      listRate: list.ours,
      bareListRate: list.baseline,
      listRatio: list.ratio,
    };
  } finally {
    bare.stop();
    await owner.pool.end();
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
};
