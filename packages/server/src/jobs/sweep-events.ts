import { sweepEvents as sweep } from '../domain/events/sweep-events.ts';
import { sweepRunFailures } from '../domain/generations/record-run-failure.ts';
import type { JobHandler } from './job-handler.ts';

export const sweepEvents: JobHandler = (services, jobs) =>
  jobs.map(async (job) => {
    await sweep(services, job.signal);
    await sweepRunFailures(services, job.signal);
  });
