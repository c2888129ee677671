import { sweepStuck as sweep } from '../domain/generations/sweep-stuck.ts';
import type { JobHandler } from './job-handler.ts';

export const sweepStuck: JobHandler = (services, jobs) =>
  jobs.map(async () => {
    await sweep(services);
  });
