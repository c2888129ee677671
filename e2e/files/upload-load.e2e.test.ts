import { expect, inject, test } from 'vitest';
import { describeLoad, measureUploadLoad } from '../../bench/upload-load.ts';
import { sized } from '../../test/size.ts';

const UPLOADS = 4;
const MEGABYTES = sized({ ci: 50, full: 100 });
const MAX_GROWTH_MB = 100;
/** The target is 50 ms, which `npm run bench -- upload-load` measures on an idle machine; here other tests run too. */
const MAX_DELAY_MS = 250;

test('large concurrent uploads are streamed: memory stays bounded and the process stays responsive', async () => {
  const load = await measureUploadLoad({
    services: inject('services'),
    uploads: UPLOADS,
    megabytes: MEGABYTES,
    megabytesPerSecond: 10,
  });
  for (const line of describeLoad(load)) console.log(line);
  expect(load.accepted).toBe(UPLOADS);
  // More was uploaded than the process may grow.
  expect(UPLOADS * MEGABYTES).toBeGreaterThan(MAX_GROWTH_MB);
  expect(load.rssGrowthMb).toBeLessThan(MAX_GROWTH_MB);
  expect(load.eventLoopP99Ms).toBeLessThan(MAX_DELAY_MS);
});
