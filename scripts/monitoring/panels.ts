/** The dashboard: `deploy/monitoring/dashboard.json` is generated from this table. */

export interface PanelRow {
  readonly title: string;
  readonly about: string;
  readonly unit: 'short' | 's' | 'reqps' | 'percentunit' | 'bytes' | 'none';
  readonly kind?: 'stat';
  /** PromQL by the name of its lines. */
  readonly queries: Readonly<Record<string, string>>;
  /** The metric appears only after something that may never happen, such as a failure. */
  readonly rare?: true;
}

export interface PanelGroup {
  readonly title: string;
  readonly panels: readonly PanelRow[];
}

const RATE = '[$__rate_interval]';

export const dashboard: readonly PanelGroup[] = [
  {
    title: 'At a glance',
    panels: [
      {
        title: 'Processes',
        about: 'Processes that respond, by role.',
        unit: 'none',
        kind: 'stat',
        queries: { '{{role}}': 'count by (role) (atelier_build_info)' },
      },
      {
        title: 'Alerts',
        about: 'Alerts that fire.',
        unit: 'none',
        kind: 'stat',
        queries: { alerts: 'count(ALERTS{alertname=~"Atelier.*",alertstate="firing"}) or vector(0)' },
      },
      {
        title: 'Database',
        about: '1 while a process can read the state of the installation.',
        unit: 'none',
        kind: 'stat',
        queries: { readable: 'max(atelier_state_readable)' },
      },
      {
        title: 'Violations in the books',
        about: 'What the last check of the books found.',
        unit: 'none',
        kind: 'stat',
        queries: { violations: 'max(atelier_books_violations)' },
      },
      {
        title: 'Parked payment events',
        about: 'Reported by the payment provider, and not applied yet.',
        unit: 'none',
        kind: 'stat',
        queries: { parked: 'max(atelier_payments_parked)' },
      },
      {
        title: 'Versions',
        about: 'Processes by version: more than one during an upgrade.',
        unit: 'none',
        kind: 'stat',
        queries: { '{{version}}': 'count by (version) (atelier_build_info)' },
      },
      {
        title: 'Coins on hold',
        about: 'Coins of generations that have not ended.',
        unit: 'short',
        kind: 'stat',
        queries: { coins: 'max(atelier_holds_open_coins)' },
      },
    ],
  },
  {
    title: 'API',
    panels: [
      {
        title: 'Requests',
        about: 'Requests a second, by operation.',
        unit: 'reqps',
        queries: { '{{operation}}': `sum by (operation) (rate(atelier_http_requests_total${RATE}))` },
      },
      {
        title: 'Failed requests',
        about: 'The share of requests with a 5xx status, by operation.',
        unit: 'percentunit',
        rare: true,
        queries: {
          '{{operation}}':
            `sum by (operation) (rate(atelier_http_requests_total{status=~"5.."}${RATE})) / ` +
            `sum by (operation) (rate(atelier_http_requests_total${RATE}))`,
        },
      },
      {
        title: 'Responses by status',
        about: 'Responses a second, by status.',
        unit: 'reqps',
        queries: { '{{status}}': `sum by (status) (rate(atelier_http_requests_total${RATE}))` },
      },
      {
        title: 'Request duration, 95 %',
        about: 'Nineteen of twenty requests are faster, by operation.',
        unit: 's',
        queries: {
          '{{operation}}': `histogram_quantile(0.95, sum by (operation, le) (rate(atelier_http_request_seconds_bucket${RATE})))`,
        },
      },
      {
        title: 'Rate limits without Redis',
        about: 'Requests a second that a process limited on its own.',
        unit: 'reqps',
        queries: { requests: `sum(rate(atelier_rate_limit_fallbacks_total${RATE}))` },
      },
      {
        title: 'Uploads',
        about: 'Uploads a second, by outcome.',
        unit: 'reqps',
        rare: true,
        queries: { '{{outcome}}': `sum by (outcome) (rate(atelier_uploads_total${RATE}))` },
      },
    ],
  },
  {
    title: 'Generations',
    panels: [
      {
        title: 'Queue',
        about: 'Unfinished generations, by pool and state.',
        unit: 'short',
        queries: { '{{pool}} {{state}}': 'max by (pool, state) (atelier_queue_depth)' },
      },
      {
        title: 'Oldest generation',
        about: 'How long the oldest one waits, by pool and state.',
        unit: 's',
        queries: { '{{pool}} {{state}}': 'max by (pool, state) (atelier_queue_oldest_seconds)' },
      },
      {
        title: 'Ended',
        about: 'Generations that ended a second, by outcome and failure code.',
        unit: 'reqps',
        queries: { '{{outcome}} {{code}}': `sum by (outcome, code) (rate(atelier_generations_settled_total${RATE}))` },
      },
      {
        title: 'Run duration',
        about: 'Median and 95 % of the time from start to settlement, by pool.',
        unit: 's',
        queries: {
          '50 % {{pool}}': `histogram_quantile(0.5, sum by (pool, le) (rate(atelier_generation_run_seconds_bucket${RATE})))`,
          '95 % {{pool}}': `histogram_quantile(0.95, sum by (pool, le) (rate(atelier_generation_run_seconds_bucket${RATE})))`,
        },
      },
      {
        title: 'Late settlements',
        about: 'How far the most overdue run is past its deadline, by pool.',
        unit: 's',
        queries: { '{{pool}}': 'max by (pool) (atelier_settlement_lag_seconds)' },
      },
      {
        title: 'Jobs in progress',
        about: 'Jobs of all workers, by queue.',
        unit: 'short',
        queries: { '{{queue}}': 'sum by (queue) (atelier_jobs_active)' },
      },
      {
        title: 'Without a worker',
        about: 'Queued generations of models that no worker offers, and settlements of workers that lost their lease.',
        unit: 'short',
        queries: {
          unserved: 'max(atelier_generations_unserved)',
          'lost leases': 'sum(increase(atelier_settlements_fenced_total[10m]))',
        },
      },
      {
        title: 'Circuits of backends',
        about: '0 closed, 0.5 half-open, 1 open.',
        unit: 'none',
        rare: true,
        queries: { '{{backend}}': 'max by (backend) (atelier_backend_circuit_open)' },
      },
    ],
  },
  {
    title: 'Webhooks and files',
    panels: [
      {
        title: 'Webhook attempts',
        about: 'Attempts a second, by outcome.',
        unit: 'reqps',
        queries: { '{{outcome}}': `sum by (outcome) (rate(atelier_webhook_attempts_total${RATE}))` },
      },
      {
        title: 'Webhook backlog',
        about: 'Pending deliveries, by state.',
        unit: 'short',
        queries: { '{{state}}': 'max by (state) (atelier_webhook_backlog)' },
      },
      {
        title: 'Webhook lag',
        about: 'How long the oldest due attempt is overdue.',
        unit: 's',
        queries: { lag: 'max(atelier_webhook_lag_seconds)' },
      },
      {
        title: 'File store errors',
        about: 'Failed calls a second, by operation.',
        unit: 'reqps',
        queries: { '{{operation}}': `sum by (operation) (rate(atelier_object_store_errors_total${RATE}))` },
      },
    ],
  },
  {
    title: 'Processes',
    panels: [
      {
        title: 'CPU',
        about: 'CPU seconds a second: 1 is a whole core.',
        unit: 'percentunit',
        queries: { '{{instance}}': `rate(process_cpu_seconds_total{job="atelier"}${RATE})` },
      },
      {
        title: 'Memory',
        about: 'Resident memory.',
        unit: 'bytes',
        queries: { '{{instance}}': 'process_resident_memory_bytes{job="atelier"}' },
      },
      {
        title: 'Event loop lag, 99 %',
        about: 'How late timers run.',
        unit: 's',
        queries: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{job="atelier"}' },
      },
      {
        title: 'Database connections in use',
        about: 'The share of DATABASE_MAX_CONNECTIONS.',
        unit: 'percentunit',
        queries: {
          '{{instance}}':
            'sum by (instance) (atelier_database_connections{state="used"}) / sum by (instance) (atelier_database_connections_limit)',
        },
      },
      {
        title: 'Statements that wait for a connection',
        about: 'More than 0 for minutes: all connections are in use.',
        unit: 'short',
        queries: { '{{instance}}': 'atelier_database_waiting' },
      },
      {
        title: 'Free space for temporary files',
        about: 'The share of the disk that is free.',
        unit: 'percentunit',
        queries: { '{{instance}}': 'atelier_spool_free_bytes / atelier_spool_size_bytes' },
      },
      {
        title: 'Spans lost',
        about: 'The share of spans that the trace collector did not take.',
        unit: 'percentunit',
        rare: true,
        queries: {
          lost: `1 - sum(rate(atelier_trace_spans_sent_total${RATE})) / (sum(rate(atelier_trace_spans_total${RATE})) > 0)`,
        },
      },
    ],
  },
];
