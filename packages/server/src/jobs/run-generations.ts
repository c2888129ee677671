import { runGeneration } from '../domain/generations/run/run-generation.ts';
import { takeGenerations } from '../domain/generations/run/take-generations.ts';
import type { RunPool } from '../queue/queues.ts';
import type { JobHandler } from './job-handler.ts';

/** One statement takes the batch; each generation then runs separately. A job that this worker may not run ends at once. */
export const runGenerations: JobHandler<RunPool> = (services, jobs) => {
  const taken = takeGenerations(services, {
    ids: jobs.map((job) => job.data.generationId),
    worker: services.workerId,
    offered: services.offered(),
  });
  return jobs.map(async (job) => {
    const row = (await taken).get(job.data.generationId);
    if (row === undefined) return;
    const timer = services.telemetry.runSeconds.startTimer({ pool: row.pool });
    await runGeneration(services, row, {
      providers: services.providers,
      contentCheck: services.contentCheck,
      leaseSignal: job.signal,
      pollWakes: services.pollWakes,
    });
    timer();
  });
};
