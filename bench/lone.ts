import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { type AloneTimes, runAlone } from './load/run-alone.ts';
import { median, quantile } from './rounds.ts';

const SAMPLES = 80;
const PARTS = {
  submitMs: 'submit',
  queuedMs: 'until taken',
  runMs: 'run',
  settleMs: 'settle',
  totalMs: 'submit to settled',
} as const;

/**
 * One generation at a time on an idle service, from submit to settled. One that the provider refuses shows the service
 * alone: HTTP, queue, ledger. One with an image adds the simulator's drawing, the probe with its preview, and the storage.
 */
export const benchLone: Bench = async ({ services, say }) => {
  const stack = await startStack({ services, apis: 1, workers: 1, env: { CHECK_RESPONSES: 'false' } });
  try {
    const measure = async (what: string, prompt: string) => {
      const times = await runAlone(stack, { samples: SAMPLES, prompt });
      const of = (name: keyof AloneTimes) => times.map((each) => each[name]);
      const parts = (Object.keys(PARTS) as Array<keyof typeof PARTS>).map(
        (name) => `${PARTS[name]} ${median(of(name)).toFixed(1)}`,
      );
      const [p50Ms, p99Ms] = [median(of('totalMs')), quantile(of('totalMs'), 0.99)];
      say(`${what.padEnd(15)} p50 in ms: ${parts.join(', ')}; p99 ${p99Ms.toFixed(1)}`);
      return { p50Ms, p99Ms, queuedMs: median(of('queuedMs')), runMs: median(of('runMs')) };
    };
    const plain = await measure('without a file', 'sim:fail:invalid_input');
    const image = await measure('with an image', 'sim:ok');
    return {
      p50Ms: plain.p50Ms,
      p99Ms: plain.p99Ms,
      queuedP50Ms: plain.queuedMs,
      imageP50Ms: image.p50Ms,
      imageP99Ms: image.p99Ms,
      imageRunP50Ms: image.runMs,
    };
  } finally {
    await stack.stop();
  }
};
