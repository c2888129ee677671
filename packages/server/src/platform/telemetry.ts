import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What operators watch. Labels come from closed lists only, so that no client can grow them. */
export function createTelemetry() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
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
      help: 'Requests judged by the local limiter because Redis was away.',
      registers,
    }),
    generations: new Counter({
      name: 'atelier_generations_settled_total',
      help: 'Generations ended, by outcome and failure code.',
      labelNames: ['outcome', 'code'],
      registers,
    }),
    fencedSettlements: new Counter({
      name: 'atelier_settlements_fenced_total',
      help: 'Settlements refused because another attempt had taken over.',
      registers,
    }),
    unservedGenerations: new Gauge({
      name: 'atelier_generations_unserved',
      help: 'Queued generations of models that no worker offers, as of the last look at readiness.',
      registers,
    }),
    runSeconds: new Histogram({
      name: 'atelier_generation_run_seconds',
      help: 'From taken to settled, by pool.',
      labelNames: ['pool'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900],
      registers,
    }),
    activeJobs: new Gauge({
      name: 'atelier_jobs_active',
      help: 'Jobs in work in this process, by queue.',
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
      help: 'Prefixes of the bucket where the sweep refuses to delete.',
      registers,
    }),
    uploads: new Counter({
      name: 'atelier_uploads_total',
      help: 'Uploads answered, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
  };
}
export type Telemetry = ReturnType<typeof createTelemetry>;
