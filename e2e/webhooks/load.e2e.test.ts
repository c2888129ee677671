import { expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { describeLoad, runLoad } from './run-load.ts';

/** Still a fifth of what `npm run bench -- webhooks-load` runs. */
const EVENTS = sized({ ci: 300, full: 2_000 });
const ENDPOINTS = sized({ ci: 60, full: 200 });
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
    expect(figures.healthyP99Ms).toBeLessThanOrEqual(sized({ ci: 8_000, full: 2_000 }));
    expect(figures.drainSeconds).toBeLessThanOrEqual(120);
  },
  TIMEOUT_MS,
);
