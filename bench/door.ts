import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { makeAccount } from '../e2e/harness/account.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { startServer } from './door/start-server.ts';
import { runWrk } from './load/run-wrk.ts';

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 2;
const ROUNDS = 2;
const script = fileURLToPath(new URL('./load/quote.lua', import.meta.url));

/** Requests per second of the API against a bare route that returns the same bytes, then the added latency at half load. */
export const benchDoor: Bench = async ({ services, seconds, say }) => {
  const stack = await startStack({ services, apis: 0, workers: 0 });
  const { key } = await makeAccount(stack, { rateLimit: 1_000_000_000, keyRateLimit: 1_000_000_000 });
  const bare = await startServer('bare', stack.env);
  const door = await startServer('door', stack.env);
  try {
    const measure = async (url: string, time: number) => {
      const result = await runWrk({ url, script, args: [key], seconds: time, connections: CONNECTIONS });
      if (result.failures > 0) throw new Error(`${result.failures} requests failed at ${url}`);
      return result.requestsPerSecond;
    };
    await measure(bare.url, WARM_UP_SECONDS);
    await measure(door.url, WARM_UP_SECONDS);
    let [bareRate, doorRate] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      bareRate += (await measure(bare.url, seconds / ROUNDS)) / ROUNDS;
      doorRate += (await measure(door.url, seconds / ROUNDS)) / ROUNDS;
    }
    const rate = Math.floor(doorRate / 2);
    const bareP99 = await p99(bare.url, key, rate, seconds);
    const doorP99 = await p99(door.url, key, rate, seconds);
    const ratio = doorRate / bareRate;
    say(`bare route        ${bareRate.toFixed(0).padStart(7)} requests/s   p99 ${bareP99.toFixed(1)} ms at ${rate}/s`);
    say(`through the API   ${doorRate.toFixed(0).padStart(7)} requests/s   p99 ${doorP99.toFixed(1)} ms at ${rate}/s`);
    say(`ratio ${ratio.toFixed(2)} (bar 0.50), p99 added ${(doorP99 - bareP99).toFixed(1)} ms (bar 3)`);
    return { bareRate, doorRate, ratio, bareP99, doorP99, addedP99: doorP99 - bareP99 };
  } finally {
    bare.stop();
    door.stop();
    await stack.stop();
  }
};

/** Open loop: latency counts from the time a request was due. */
async function p99(url: string, key: string, rate: number, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: '{"modelId":"canvas","params":{"prompt":"a lighthouse at dusk, oil on canvas","num_outputs":2}}',
    connections: 32,
    overallRate: rate,
    duration: seconds,
  });
  return result.latency.p99;
}
