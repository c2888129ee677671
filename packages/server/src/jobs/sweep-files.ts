import { sweepFiles as sweep } from '../domain/assets/sweep-files.ts';
import type { JobHandler } from './handlers.ts';

export const sweepFiles: JobHandler = (services, jobs) =>
  jobs.map(async (job) => {
    await sweep(services, job.signal);
  });
