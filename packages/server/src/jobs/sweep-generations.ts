import { sweepGenerations as sweep } from '../domain/generations/sweep-generations.ts';
import type { JobHandler } from './job-handler.ts';

export const sweepGenerations: JobHandler = (services, jobs) =>
  jobs.map(async (job) => {
    await sweep(services, job.signal);
  });
