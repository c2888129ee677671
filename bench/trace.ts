import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAccount } from '../e2e/harness/account.ts';
import { readMetric } from '../e2e/harness/read-metric.ts';
import { type Member, startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { runWrk } from './load/run-wrk.ts';
import { alternate } from './rounds.ts';

const ACCOUNTS = 200;
const IN_FLIGHT = 32;
const script = fileURLToPath(new URL('./load/submit.lua', import.meta.url));
const collectorProgram = fileURLToPath(new URL('./trace/collector-process.ts', import.meta.url));

/** Submits per second to an API that traces every request against one that traces none, on the same database. */
export const benchTrace: Bench = async ({ services, seconds, rounds, say }) => {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const collector = fork(collectorProgram, { execArgv: [] });
  const { port } = await new Promise<{ port: number }>((resolve) => collector.once('message', resolve as never));
  const stack = await startStack({ services, apis: 1, workers: 0, env: { CHECK_RESPONSES: 'false' } });
  try {
    const plain = stack.api();
    const traced = await stack.start('api', { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    const accounts = await Promise.all(
      Array.from({ length: ACCOUNTS }, () =>
        makeAccount(stack, { coins: 1_000_000_000, rateLimit: 1_000_000_000, keyRateLimit: 1_000_000_000 }),
      ),
    );
    const keys = join(dir, 'keys.txt');
    await writeFile(keys, accounts.map((account) => account.key).join('\n'));
    const submitTo = async (api: Member, time: number) => {
      const url = `${api.url}/v1/generations`;
      const result = await runWrk({ url, script, args: [keys], seconds: time, connections: IN_FLIGHT });
      if (result.failures > 0) throw new Error(`${result.failures} submits failed`);
      return result.requestsPerSecond;
    };
    for (const api of [plain, traced]) await submitTo(api, 2);
    const before = { plain: await readCost(plain), traced: await readCost(traced) };
    const { ours, baseline, ratio } = await alternate({
      rounds,
      ours: () => submitTo(traced, seconds / rounds),
      baseline: () => submitTo(plain, seconds / rounds),
    });
    const [ended, sent] = [
      await readMetric(traced, 'atelier_trace_spans_total'),
      await readMetric(traced, 'atelier_trace_spans_sent_total'),
    ];
    say(`not traced  ${baseline.toFixed(0).padStart(6)} submits/s, ${IN_FLIGHT} in flight, ${ACCOUNTS} accounts`);
    say(`traced      ${ours.toFixed(0).padStart(6)} submits/s   ratio ${ratio.toFixed(2)}`);
    const cpuRatio = costSince(before.traced, await readCost(traced)) / costSince(before.plain, await readCost(plain));
    say(`CPU of the API per submit: ratio ${cpuRatio.toFixed(2)}`);
    say(`${ended} spans, ${((100 * sent) / ended).toFixed(0)} % sent`);
    return { bareRate: baseline, ourRate: ours, ratio, cpuRatio };
  } finally {
    await stack.stop();
    collector.disconnect();
    await rm(dir, { recursive: true, force: true });
  }
};

interface Cost {
  readonly cpuSeconds: number;
  readonly requests: number;
}

const readCost = async (api: Member): Promise<Cost> => ({
  cpuSeconds: await readMetric(api, 'process_cpu_seconds_total'),
  requests: await readMetric(api, 'atelier_http_requests_total'),
});

/** CPU time per request; it says more than a rate on a machine that others use too. */
const costSince = (before: Cost, after: Cost): number =>
  (after.cpuSeconds - before.cpuSeconds) / (after.requests - before.requests);
