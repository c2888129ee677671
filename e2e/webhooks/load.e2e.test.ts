import { expect, inject, test } from 'vitest';
import { describeLoad, runLoad } from './run-load.ts';

/** A fifth of the full size, which `npm run bench -- webhooks-load` runs. */
const EVENTS = 2_000;
const ENDPOINTS = 200;
const PER_SECOND = 100;
const TIMEOUT_MS = 400_000;

test(
  'slow and failing endpoints do not delay others, and no event is lost or duplicated',
  async () => {
    const figures = await runLoad({
      services: inject('services'),
      events: EVENTS,
      endpoints: ENDPOINTS,
      perSecond: PER_SECOND,
    });
    for (const line of describeLoad(figures)) console.log(line);
    expect(figures).toMatchObject({ lost: 0, doubled: 0, broken: [] });
    expect(figures.healthyP99Ms).toBeLessThanOrEqual(2_000);
    expect(figures.drainSeconds).toBeLessThanOrEqual(120);
  },
  TIMEOUT_MS,
);
