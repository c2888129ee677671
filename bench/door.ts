import { fileURLToPath } from 'node:url';
import { makeAccount } from '../e2e/harness/account.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { formatRequest, measureOpenLoop } from './load/measure-open-loop.ts';
import type { ProcessCost } from './load/process-cost.ts';
import { runWrk } from './load/run-wrk.ts';
import { type BenchServer, startServer } from './load/start-server.ts';
import { alternate, median } from './rounds.ts';

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 2;
const PATH = '/v1/quotes';
const BODY = '{"modelId":"canvas","params":{"prompt":"a lighthouse at dusk, oil on canvas","num_outputs":2}}';
const script = fileURLToPath(new URL('./load/quote.lua', import.meta.url));

/** Requests per second of the API against a bare route that returns the same bytes, then the added latency at half load. */
export const benchDoor: Bench = async ({ services, seconds, rounds, say }) => {
  const stack = await startStack({ services, apis: 0, workers: 0 });
  const { key } = await makeAccount(stack, { rateLimit: 1_000_000_000, keyRateLimit: 1_000_000_000 });
  const bare = await startServer(new URL('./door/bare-server.ts', import.meta.url), stack.env);
  const door = await startServer(new URL('./door/door-server.ts', import.meta.url), stack.env);
  try {
    const share = seconds / rounds;
    const throughput = async (server: BenchServer, time: number) => {
      const url = `${server.origin}${PATH}`;
      const result = await runWrk({ url, script, args: [key], seconds: time, connections: CONNECTIONS });
      if (result.failures > 0) throw new Error(`${result.failures} requests failed at ${url}`);
      return result.requestsPerSecond;
    };
    await throughput(bare, WARM_UP_SECONDS);
    await throughput(door, WARM_UP_SECONDS);
    const rates = await alternate({
      rounds,
      ours: () => throughput(door, share),
      baseline: () => throughput(bare, share),
    });

    const perSecond = Math.floor(rates.ours / 2);
    const costs: ProcessCost[] = [];
    const [p50s, lags]: [number[], number[]] = [[], []];
    const latency = async (server: BenchServer) => {
      const request = formatRequest({ method: 'POST', url: `${server.origin}${PATH}`, key, body: BODY });
      await server.cost();
      const order = { origin: server.origin, requests: [request], perSecond, seconds: share };
      const { p50Ms, p99Ms, lagP99Ms } = await measureOpenLoop(order);
      lags.push(lagP99Ms);
      if (server === door) {
        costs.push(await server.cost());
        p50s.push(p50Ms);
      }
      return p99Ms;
    };
    const p99 = await alternate({ rounds, ours: () => latency(door), baseline: () => latency(bare) });
    const cost = (name: keyof ProcessCost) => median(costs.map((each) => each[name]));
    const percent = (part: number) => `${(part * 100).toFixed(1)} %`;

    say(`bare route        ${rates.baseline.toFixed(0).padStart(7)} requests/s`);
    say(`through the API   ${rates.ours.toFixed(0).padStart(7)} requests/s   ratio ${rates.ratio.toFixed(2)}`);
    say(
      `open loop at ${perSecond}/s: bare p99 ${p99.baseline.toFixed(1)} ms, API p50 ${median(p50s).toFixed(1)} ms, p99 ${p99.ours.toFixed(1)} ms, added ${p99.added.toFixed(1)} ms`,
    );
    say(`the generator was late by ${median(lags).toFixed(1)} ms (p99), on both sides`);
    say(
      `API process then: event loop delay p50 ${cost('loopP50Ms').toFixed(1)} ms, p99 ${cost('loopP99Ms').toFixed(1)} ms, busy ${percent(cost('busyShare'))}, garbage collection ${percent(cost('collectionShare'))}, longest ${cost('longestCollectionMs').toFixed(1)} ms`,
    );
    return {
      bareRate: rates.baseline,
      ourRate: rates.ours,
      ratio: rates.ratio,
      perSecond,
      bareP99Ms: p99.baseline,
      ourP99Ms: p99.ours,
      addedP99Ms: p99.added,
      lagP99Ms: median(lags),
      loopP99Ms: cost('loopP99Ms'),
      busyShare: cost('busyShare'),
      collectionShare: cost('collectionShare'),
    };
  } finally {
    bare.stop();
    door.stop();
    await stack.stop();
  }
};
