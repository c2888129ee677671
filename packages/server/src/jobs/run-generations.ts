import { runGeneration } from '../domain/generations/run/run-generation.ts';
import { type RunRow, takeGenerations } from '../domain/generations/run/take-generations.ts';
import { type Span, type Tracing, withSpan } from '../platform/tracing.ts';
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
    const span = traceRun(services.tracing, row);
    // What the run does belongs below its span.
    const run = { ...row, traceparent: span.traceparent };
    await withSpan(span, () =>
      runGeneration(services, run, {
        providers: services.providers,
        contentCheck: services.contentCheck,
        leaseSignal: job.signal,
        pollWakes: services.pollWakes,
      }),
    );
    timer();
  });
};

/** The span of a run, and one for the time that the generation waited for its first take. */
function traceRun(tracing: Tracing, row: RunRow): Span {
  const { id: generationId, accountId, attempt, modelId, pool, traceparent: parent } = row;
  const fields = { generationId, accountId, modelId, pool, attempt };
  if (attempt === 1) {
    const { createdAt, startedAt } = row;
    tracing.startSpan('queue', { kind: 'internal', parent, fields, startedAt: createdAt }).end({ at: startedAt });
  }
  return tracing.startSpan('run', { kind: 'consumer', parent, fields });
}
