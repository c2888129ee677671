import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { STORE_OPERATIONS } from './object-store/count-store-errors.ts';

/** Metrics for operators. Labels come from fixed lists only, so that clients cannot create new ones. */
export function createTelemetry() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const telemetry = {
    registry,
    requests: new Counter({
      name: 'atelier_http_requests_total',
      help: 'Requests answered, by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'atelier_http_request_seconds',
      help: 'Time to answer, by operation.',
      labelNames: ['operation'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    limiterFallbacks: new Counter({
      name: 'atelier_rate_limit_fallbacks_total',
      help: 'Requests limited locally because Redis was unavailable.',
      registers,
    }),
    generations: new Counter({
      name: 'atelier_generations_settled_total',
      help: 'Settled generations, by outcome and failure code.',
      labelNames: ['outcome', 'code'],
      registers,
    }),
    fencedSettlements: new Counter({
      name: 'atelier_settlements_fenced_total',
      help: 'Settlements refused because another attempt owned the generation.',
      registers,
    }),
    unservedGenerations: new Gauge({
      name: 'atelier_generations_unserved',
      help: 'Queued generations of models that no worker serves, as of the last readiness check.',
      registers,
    }),
    runSeconds: new Histogram({
      name: 'atelier_generation_run_seconds',
      help: 'Time from claim to settlement, by pool.',
      labelNames: ['pool'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900],
      registers,
    }),
    activeJobs: new Gauge({
      name: 'atelier_jobs_active',
      help: 'Active jobs in this process, by queue.',
      labelNames: ['queue'],
      registers,
    }),
    deliveries: new Counter({
      name: 'atelier_webhook_attempts_total',
      help: 'Webhook attempts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    bucketRefusals: new Gauge({
      name: 'atelier_bucket_refusals',
      help: 'Bucket prefixes in which the sweep refuses to delete.',
      registers,
    }),
    storeErrors: new Counter({
      name: 'atelier_object_store_errors_total',
      help: 'Calls to the file store that failed because it was unavailable, by operation.',
      labelNames: ['operation'],
      registers,
    }),
    spans: new Counter({ name: 'atelier_trace_spans_total', help: 'Spans that ended.', registers }),
    sentSpans: new Counter({
      name: 'atelier_trace_spans_sent_total',
      help: 'Spans that the trace collector took.',
      registers,
    }),
    uploads: new Counter({
      name: 'atelier_uploads_total',
      help: 'Uploads, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
  };
  // From 0, so that the first one counts as an increase.
  for (const outcome of ['ok', 'failed', 'held']) telemetry.deliveries.inc({ outcome }, 0);
  for (const operation of STORE_OPERATIONS) telemetry.storeErrors.inc({ operation }, 0);
  return telemetry;
}
export type Telemetry = ReturnType<typeof createTelemetry>;
