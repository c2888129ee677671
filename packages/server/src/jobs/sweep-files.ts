import { sweepFiles as sweep } from '../domain/assets/sweep-files.ts';
import type { JobHandler } from './job-handler.ts';

export const sweepFiles: JobHandler = (services, jobs) =>
  jobs.map(async (job) => {
    await sweep(services, { signal: job.signal });
  });
