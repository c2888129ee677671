import { describeLoad, runLoad } from '../e2e/webhooks/run-load.ts';
import type { Bench } from './bench.ts';

const EVENTS = 10_000;
const ENDPOINTS = 1_000;
const PER_SECOND = 150;

/** 10,000 events to 1,000 endpoints, of which 5 % are down and 5 % take 9.9 s: delay of the others, and total time. */
export const benchWebhooksLoad: Bench = async ({ services, say }) => {
  const figures = await runLoad({ services, events: EVENTS, endpoints: ENDPOINTS, perSecond: PER_SECOND });
  for (const line of describeLoad(figures)) say(line);
  if (figures.lost > 0 || figures.doubled > 0 || figures.broken.length > 0) {
    throw new Error(`lost ${figures.lost}, doubled ${figures.doubled}, broken ${figures.broken.join('; ')}`);
  }
  const { events, endedPerSecond, healthyP50Ms, healthyP99Ms, healthyMaxMs, drainSeconds } = figures;
  return { events, endedPerSecond, healthyP50Ms, healthyP99Ms, healthyMaxMs, drainSeconds };
};
