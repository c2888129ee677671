import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { type AloneTimes, runAlone } from './load/run-alone.ts';
import { median, quantile } from './rounds.ts';

const SAMPLES = 80;
const PARTS = {
  submitMs: 'submit over HTTP',
  queuedMs: 'until a worker took it',
  runMs: 'render, probe, previews, store',
  settleMs: 'settle',
} as const;

/** One generation at a time on an idle service, from submit to settled: an image of the simulator. */
export const benchLone: Bench = async ({ services, say }) => {
  const stack = await startStack({ services, apis: 1, workers: 1, env: { CHECK_RESPONSES: 'false' } });
  try {
    const times = await runAlone(stack, { samples: SAMPLES, prompt: 'sim:ok' });
    const of = (name: keyof AloneTimes) => times.map((each) => each[name]);
    for (const [name, what] of Object.entries(PARTS) as Array<[keyof typeof PARTS, string]>) {
      say(`${what.padEnd(32)} p50 ${median(of(name)).toFixed(1).padStart(6)} ms`);
    }
    const [p50Ms, p99Ms] = [median(of('totalMs')), quantile(of('totalMs'), 0.99)];
    say(`${'submit to settled'.padEnd(32)} p50 ${p50Ms.toFixed(1).padStart(6)} ms, p99 ${p99Ms.toFixed(1)} ms`);
    return {
      p50Ms,
      p99Ms,
      submitP50Ms: median(of('submitMs')),
      queuedP50Ms: median(of('queuedMs')),
      runP50Ms: median(of('runMs')),
      settleP50Ms: median(of('settleMs')),
    };
  } finally {
    await stack.stop();
  }
};
