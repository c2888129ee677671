import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { submitGeneration } from '@atelier/server/domain/generations/generations.store.ts';
import { createDb, withStatementTx } from '@atelier/server/platform/db.ts';
import { newId } from '@atelier/server/platform/ids.ts';
import { makeAccount, type TestAccount } from '../e2e/harness/account.ts';
import { submit, until } from '../e2e/harness/client.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { runWrk } from './load/run-wrk.ts';

const ACCOUNTS = 200;
const IN_FLIGHT = 32;
const ROUNDS = 2;
const IDLE_SAMPLES = 60;
const script = fileURLToPath(new URL('./load/submit.lua', import.meta.url));

/** Submits per second over HTTP against the same statement from a pool; then the time from submit to start when idle. */
export const benchSubmit: Bench = async ({ services, seconds, say }) => {
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
    let [bareRate, httpRate] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      bareRate += (await bareSubmits(stack.appUrl, accounts, seconds / ROUNDS)) / ROUNDS;
      httpRate += (await overHttp(seconds / ROUNDS)) / ROUNDS;
    }
    const ratio = httpRate / bareRate;
    say(`bare SQL    ${bareRate.toFixed(0).padStart(6)} submits/s, ${IN_FLIGHT} in flight, ${ACCOUNTS} accounts`);
    say(`over HTTP   ${httpRate.toFixed(0).padStart(6)} submits/s`);
    say(`ratio ${ratio.toFixed(2)} (bar 0.45)`);
    await stack.assertBooks();
    const idle = await idleStart(services);
    say(`idle submit to started: p50 ${idle.p50.toFixed(1)} ms, p99 ${idle.p99.toFixed(1)} ms (target p50 15)`);
    return { bareRate, httpRate, ratio, idleP50: idle.p50, idleP99: idle.p99 };
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
        submitGeneration(tx, {
          id: newId(),
          accountId: account.accountId,
          keyId: account.keyId,
          channel: 'api',
          idempotencyKey: randomBytes(16).toString('hex'),
          fingerprint: randomBytes(32),
          modelId: 'canvas',
          modelName: 'Canvas',
          taskType: 'image.generate',
          modality: 'image',
          workspace: 'image',
          effectId: null,
          effectText: null,
          params: { prompt: 'a lighthouse at dusk' },
          projectId: null,
          consentVersion: null,
          pool: 'run-simulator',
          coins: 7,
          coinsPerOutput: 7,
          outputs: 1,
          maxCoins: 100,
          pricebookVersion: 'bench',
          deadlineSeconds: 300,
          inputIds: [],
          effective: { params: {}, inputs: {}, effectSettings: {} },
        }),
      );
      if (outcome !== 'created') throw new Error(`a bare submit returned ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
  await db.pool.end();
  return count / seconds;
}

/** From creation to start of a generation, one at a time on an idle service. */
async function idleStart(services: Parameters<Bench>[0]['services']): Promise<{ p50: number; p99: number }> {
  const stack = await startStack({ services, apis: 1, workers: 1 });
  try {
    const { key } = await makeAccount(stack);
    const waits: number[] = [];
    for (let n = 0; n < IDLE_SAMPLES; n += 1) {
      const { body } = await submit(stack.api().url, { key, prompt: 'sim:fail:invalid_input' });
      const row = await until('it started', async () => {
        const [found] = await stack.db.query<{ ms: number | null; done: boolean }>(
          {
            name: 'bench_wait',
            text: `SELECT extract(epoch FROM started_at - created_at)::float8 * 1000 AS ms, completed_at IS NOT NULL AS done FROM generation WHERE id = $1`,
          },
          [body.id],
        );
        return found?.done === true && found;
      });
      waits.push(row.ms as number);
    }
    waits.sort((a, b) => a - b);
    return {
      p50: waits[Math.floor(waits.length / 2)] as number,
      p99: waits[Math.floor(waits.length * 0.99)] as number,
    };
  } finally {
    await stack.stop();
  }
}
