import { runGeneration as run } from '../domain/generations/run-generation.ts';
import { takeGenerations } from '../domain/generations/take-generations.ts';
import type { Payloads } from '../queue/queues.ts';
import type { JobHandler } from './job-handler.ts';

/** One statement takes the whole batch; each then runs on its own. A generation that is no longer to run here is just done. */
export const runGeneration: JobHandler = (services, jobs) => {
  const idOf = (data: unknown) => (data as Payloads['run-simulator']).generationId;
  const taken = takeGenerations(services, {
    ids: jobs.map((job) => idOf(job.data)),
    worker: services.workerId,
    offered: services.offered(),
  });
  return jobs.map(async (job) => {
    const row = (await taken).get(idOf(job.data));
    if (row === undefined) return;
    const timer = services.telemetry.runSeconds.startTimer({ pool: row.pool });
    await run(services, row, {
      providers: services.providers,
      contentCheck: services.contentCheck,
      leaseSignal: job.signal,
      pollWakes: services.pollWakes,
    });
    timer();
  });
};
