import { sweepFiles as sweep } from '../domain/assets/sweep-files.ts';
import type { JobHandler } from './job-handler.ts';

export const sweepFiles: JobHandler = (services, jobs) =>
  jobs.map(async (job) => {
    const { refused } = await sweep(services, { signal: job.signal });
    services.telemetry.bucketRefusals.set(refused.length);
  });
