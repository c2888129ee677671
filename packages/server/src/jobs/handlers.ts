import { Compile } from 'typebox/compile';
import { listSchemaErrors } from '../platform/schema-errors.ts';
import { type QueueName, queues } from '../queue/queues.ts';
import type { QueuedJob } from '../queue/start-pump.ts';
import { deliverWebhooks } from './deliver-webhooks.ts';
import type { JobHandler, JobHandlers, WorkerServices } from './job-handler.ts';
import { runGenerations } from './run-generations.ts';
import { sendMails } from './send-mails.ts';
import { sweeps } from './sweeps.ts';
import { verifyBooksWhenDue } from './verify-books-when-due.ts';

/** The handlers of all jobs. A row of the jobs table without a handler does not compile. */
export const handlers: JobHandlers = {
  'run-simulator': runGenerations,
  'run-local': runGenerations,
  'run-remote': runGenerations,
  'deliver-webhook': deliverWebhooks,
  ...sendMails,
  ...sweeps,
  'verify-books': verifyBooksWhenDue,
};

/**
 * Binds the handler of a queue to its payload schema. A job whose payload does not match is logged and ends without
 * running: another attempt would find the same payload.
 */
export function bindHandler<Q extends QueueName>(
  queue: Q,
  services: WorkerServices,
  handler: JobHandler<Q> = handlers[queue],
): (jobs: readonly QueuedJob[]) => Promise<void>[] {
  const payload = Compile(queues[queue].payload);
  const accept = (job: QueuedJob): boolean => {
    const [first] = listSchemaErrors(payload, job.data);
    if (first === undefined) return true;
    services.log.error('job refused: its payload does not match the schema of its queue', {
      queue,
      jobId: job.id,
      reason: `${first.path.join('.') || 'payload'} ${first.message}`,
    });
    return false;
  };
  return (jobs) => {
    const accepted = jobs.filter(accept);
    const runs = accepted.length === 0 ? [] : handler(services, accepted as Parameters<JobHandler<Q>>[1]);
    const runOf = new Map(accepted.map((job, n) => [job, runs[n]]));
    return jobs.map((job) => runOf.get(job) ?? Promise.resolve());
  };
}
