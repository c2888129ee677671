import { sweepFiles } from '../domain/assets/bucket/sweep-files.ts';
import { alertBudgets } from '../domain/budgets/alert-budgets.ts';
import { sweepEvents } from '../domain/events/sweep-events.ts';
import { sweepRunFailures } from '../domain/generations/run/record-run-failure.ts';
import { sweepStuck } from '../domain/generations/run/sweep-stuck.ts';
import { sweepGenerations } from '../domain/generations/sweep-generations.ts';
import { sweepRequestRecords } from '../domain/operator/request-records.ts';
import { sweepPeople } from '../domain/people/sweep-people.ts';
import { sweepWebhooks } from '../domain/webhooks/deliveries/sweep-webhooks.ts';
import type { QueueName } from '../queue/queues.ts';
import type { JobHandler, JobHandlers, WorkerServices } from './job-handler.ts';

type SweepName = Extract<QueueName, `sweep-${string}`>;

/** The recurring work. */
export const sweeps: Pick<JobHandlers, SweepName> = {
  'sweep-stuck': oneByOne((services) => sweepStuck(services)),

  'sweep-files': oneByOne(async (services, signal) => {
    const { refused } = await sweepFiles(services, { signal });
    services.telemetry.bucketRefusals.set(refused.length);
  }),

  'sweep-events': oneByOne(async (services, signal) => {
    await sweepEvents(services, signal);
    await sweepRunFailures(services, signal);
    await sweepRequestRecords(services, signal);
    await sweepPeople(services, signal);
  }),

  'sweep-generations': oneByOne((services, signal) => sweepGenerations(services, signal)),

  'sweep-webhooks': oneByOne((services) => sweepWebhooks(services)),

  'sweep-budgets': oneByOne((services, signal) => alertBudgets(services, signal)),
};

function oneByOne(sweep: (services: WorkerServices, signal: AbortSignal) => Promise<unknown>): JobHandler<SweepName> {
  return (services, jobs) =>
    jobs.map(async (job) => {
      await sweep(services, job.signal);
    });
}
