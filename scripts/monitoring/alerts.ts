/** The alerts of an installation: the rules, the list of runbooks and the tests of the rules are generated from this table. */

export interface AlertRow {
  readonly name: string;
  /** `page` wakes somebody up: customers notice it now. `ticket` can wait for the next working day. */
  readonly severity: 'page' | 'ticket';
  /** PromQL. `$window`, `$limit` and `$least` stand for the values below. */
  readonly expr: string;
  readonly window?: string;
  readonly limit?: number;
  /** A share says nothing about fewer events than this. */
  readonly least?: number;
  /** How long the condition must hold. */
  readonly for: string;
  /** What happens, in one sentence; `{{ $labels.x }}` as in Prometheus. */
  readonly summary: string;
  /** What customers notice. */
  readonly impact: string;
}

/** Operations that answer at once: the others wait for clients that send or read slowly. */
const QUICK =
  'createQuote|createGeneration|getGeneration|listGenerations|cancelGeneration|getAccount|getConcurrency|listModels';

/** A role that this installation should have is not scraped. */
const noRole = (role: string) =>
  `label_replace(absent(atelier_build_info{role=~"${role}|all"}), "role", "${role}", "", "")`;

export const alerts: readonly AlertRow[] = [
  {
    name: 'AtelierProcessDown',
    severity: 'page',
    expr: 'up{job="atelier"} == 0',
    for: '2m',
    summary: 'The process at {{ $labels.instance }} does not respond.',
    impact: 'Less capacity, or none if it was the last one of its role.',
  },
  {
    name: 'AtelierRoleMissing',
    severity: 'page',
    expr: `${noRole('api')} or ${noRole('worker')}`,
    for: '2m',
    summary: 'No {{ $labels.role }} process runs.',
    impact: 'Without an API requests fail; without a worker generations stay queued and webhooks are not sent.',
  },
  {
    name: 'AtelierProcessRestarting',
    severity: 'ticket',
    expr: 'changes(process_start_time_seconds{job="atelier"}[$window]) > $limit',
    window: '30m',
    limit: 2,
    for: '0m',
    summary: 'The process at {{ $labels.instance }} restarts again and again.',
    impact: 'Runs start again on another worker, so generations take longer.',
  },
  {
    name: 'AtelierDatabaseUnreadable',
    severity: 'page',
    expr: 'max(atelier_state_readable) == 0',
    for: '1m',
    summary: 'PostgreSQL does not respond to any process.',
    impact: 'Every request with a key fails with 503. Nothing is charged.',
  },
  {
    name: 'AtelierDependencyDown',
    severity: 'ticket',
    expr: 'min by (instance, dependency) (atelier_dependency_up) == 0',
    for: '2m',
    summary: 'The process at {{ $labels.instance }} does not reach {{ $labels.dependency }}.',
    impact:
      'What needs it fails at this process, which stays in its balancer: readiness does not follow what processes share.',
  },
  {
    name: 'AtelierDatabasePoolExhausted',
    severity: 'page',
    expr: 'min_over_time(atelier_database_waiting[$window]) > $limit',
    window: '2m',
    limit: 0,
    for: '1m',
    summary: 'Statements of {{ $labels.instance }} wait for a database connection.',
    impact: 'Requests are slow; some fail with 503.',
  },
  {
    name: 'AtelierRequestsFailing',
    severity: 'page',
    expr:
      'sum by (operation) (rate(atelier_http_requests_total{status=~"5.."}[$window])) / ' +
      'sum by (operation) (rate(atelier_http_requests_total[$window])) > $limit ' +
      'and sum by (operation) (increase(atelier_http_requests_total{status=~"5.."}[$window])) > $least',
    window: '5m',
    limit: 0.05,
    least: 5,
    for: '2m',
    summary: 'More than 5 % of the requests to {{ $labels.operation }} fail with a 5xx status.',
    impact: 'Clients get errors and retry.',
  },
  {
    name: 'AtelierRequestsSlow',
    severity: 'ticket',
    expr:
      `histogram_quantile(0.95, sum by (operation, le) (rate(atelier_http_request_seconds_bucket{operation=~"${QUICK}"}[$window]))) > $limit ` +
      `and sum by (operation) (increase(atelier_http_request_seconds_count{operation=~"${QUICK}"}[$window])) > $least`,
    window: '5m',
    limit: 1,
    least: 20,
    for: '10m',
    summary: 'One in twenty requests to {{ $labels.operation }} takes longer than a second.',
    impact: 'Clients wait.',
  },
  {
    name: 'AtelierEventLoopBlocked',
    severity: 'ticket',
    expr: 'min_over_time(nodejs_eventloop_lag_p99_seconds{job="atelier"}[$window]) > $limit',
    window: '5m',
    limit: 0.5,
    for: '5m',
    summary: 'The process at {{ $labels.instance }} has too little CPU time.',
    impact: 'Requests and webhooks of this process are slow; a worker may lose its leases.',
  },
  {
    name: 'AtelierQueueOld',
    severity: 'page',
    expr: 'max by (pool) (atelier_queue_oldest_seconds{state="admitted"}) > $limit',
    limit: 300,
    for: '1m',
    summary: 'A generation waits for more than five minutes for a worker of {{ $labels.pool }}.',
    impact: 'Generations take longer than usual. Nothing is lost.',
  },
  {
    name: 'AtelierModelsUnserved',
    severity: 'page',
    expr: 'max(atelier_generations_unserved) > $limit',
    limit: 0,
    for: '5m',
    summary: 'Generations are queued for models that no worker offers.',
    impact: 'They wait with `queueReason: no_worker` until a worker serves their model.',
  },
  {
    name: 'AtelierSettlementLate',
    severity: 'page',
    expr: 'max by (pool) (atelier_settlement_lag_seconds) > $limit',
    limit: 60,
    for: '1m',
    summary: 'A run of {{ $labels.pool }} is past its deadline and not settled.',
    impact: 'A customer waits, and the coins stay on hold.',
  },
  {
    name: 'AtelierLeasesLost',
    severity: 'ticket',
    expr: 'sum(increase(atelier_settlements_fenced_total[$window])) > $limit',
    window: '10m',
    limit: 0,
    for: '0m',
    summary: 'Workers lose the leases of their runs.',
    impact: 'Generations run twice and take longer. Each is charged once.',
  },
  {
    name: 'AtelierGenerationsFailing',
    severity: 'page',
    expr:
      'sum(rate(atelier_generations_settled_total{outcome="failed",code=~"internal|unavailable|timeout"}[$window])) / ' +
      'sum(rate(atelier_generations_settled_total[$window])) > $limit ' +
      'and sum(increase(atelier_generations_settled_total{outcome="failed",code=~"internal|unavailable|timeout"}[$window])) > $least',
    window: '10m',
    limit: 0.2,
    least: 5,
    for: '5m',
    summary: "More than a fifth of the generations fail for reasons that are not the customer's.",
    impact: 'Customers get failed generations. Their coins are returned.',
  },
  {
    name: 'AtelierBackendDown',
    severity: 'ticket',
    // A half-open circuit is not closed yet.
    expr: 'max by (backend) (min_over_time(atelier_backend_circuit_open[$window])) > $limit',
    window: '5m',
    limit: 0,
    for: '1m',
    summary: 'The backend {{ $labels.backend }} does not respond.',
    impact: 'Its models use their other routes, or are unavailable if they have none.',
  },
  {
    name: 'AtelierWebhooksLate',
    severity: 'page',
    expr: 'max(atelier_webhook_lag_seconds) > $limit',
    limit: 120,
    for: '1m',
    summary: 'Webhook attempts are sent more than two minutes after they are due.',
    impact: 'Customers learn late that their generations ended.',
  },
  {
    name: 'AtelierWebhooksFailing',
    severity: 'ticket',
    expr:
      'sum(rate(atelier_webhook_attempts_total{outcome="failed"}[$window])) / ' +
      'sum(rate(atelier_webhook_attempts_total[$window])) > $limit ' +
      'and sum(increase(atelier_webhook_attempts_total{outcome="failed"}[$window])) > $least',
    window: '15m',
    limit: 0.5,
    least: 20,
    for: '15m',
    summary: 'More than half of the webhook attempts fail.',
    impact: 'Customers get their events late, or not at all after nine attempts.',
  },
  {
    name: 'AtelierWebhookSecretsSealed',
    severity: 'page',
    expr: 'sum(increase(atelier_webhook_attempts_total{outcome="held"}[$window])) > $limit',
    window: '10m',
    limit: 0,
    for: '0m',
    summary: 'Webhook secrets cannot be decrypted.',
    impact: 'Events for these endpoints are held and not sent.',
  },
  {
    name: 'AtelierRedisUnavailable',
    severity: 'ticket',
    expr: 'sum(increase(atelier_rate_limit_fallbacks_total[$window])) > $limit',
    window: '5m',
    limit: 0,
    for: '1m',
    summary: 'Redis does not respond: every process limits rates on its own.',
    impact: 'An account may send more requests than its limit, up to the limit per API process.',
  },
  {
    name: 'AtelierStorageErrors',
    severity: 'page',
    expr: 'sum(increase(atelier_object_store_errors_total[$window])) > $limit',
    window: '5m',
    limit: 5,
    for: '1m',
    summary: 'The file store does not respond, or refuses our credentials.',
    impact: 'Uploads and downloads fail; finished runs wait to store their outputs.',
  },
  {
    name: 'AtelierSpoolNearlyFull',
    severity: 'ticket',
    expr: 'atelier_spool_free_bytes / atelier_spool_size_bytes < $limit',
    limit: 0.1,
    for: '5m',
    summary: 'Less than a tenth of the disk for temporary files of {{ $labels.instance }} is free.',
    impact: 'When it is full, uploads fail with 503 and runs wait.',
  },
  {
    name: 'AtelierBucketRefused',
    severity: 'ticket',
    expr: 'max(atelier_bucket_refusals) > $limit',
    limit: 0,
    for: '5m',
    summary: 'The sweep refuses to delete files from a part of the bucket.',
    impact: 'None at first: expired files stay and cost space.',
  },
  {
    name: 'AtelierPaymentsParked',
    severity: 'page',
    expr: 'max(atelier_payments_parked_seconds) > $limit',
    limit: 3_600,
    for: '1m',
    summary: 'An event of the payment provider has not been applied for more than an hour.',
    impact: 'Somebody may have paid without getting the coins.',
  },
  {
    name: 'AtelierCatalogRefused',
    severity: 'ticket',
    expr: 'max by (instance) (atelier_catalog_refused) > $limit',
    limit: 0,
    for: '2m',
    summary: 'The catalog files of {{ $labels.instance }} are invalid; it keeps the catalog that it read before.',
    impact: 'Changes of models and prices do not apply. A process that restarts does not start.',
  },
  {
    name: 'AtelierCatalogsDiffer',
    severity: 'ticket',
    expr: 'count(count by (version) (atelier_catalog_info)) > $limit',
    limit: 1,
    // Longer than an upgrade that replaces one process after another.
    for: '15m',
    summary: 'Processes use different versions of the catalog.',
    impact: 'The price of a quote depends on the process that answers.',
  },
  {
    name: 'AtelierUnsafeSettings',
    severity: 'ticket',
    expr: 'max by (setting) (atelier_unsafe_setting) > $limit',
    limit: 0,
    for: '5m',
    summary: '{{ $labels.setting }} turns a protection off.',
    impact: 'None by itself. What the setting protects from can happen.',
  },
  {
    name: 'AtelierBooksBroken',
    severity: 'page',
    expr: 'max(atelier_books_violations) > $limit',
    limit: 0,
    for: '0m',
    summary: 'The last check of the books found a broken invariant.',
    impact: 'A balance or a charge may be wrong.',
  },
  {
    name: 'AtelierBooksUnverified',
    severity: 'ticket',
    expr:
      '(time() - max(atelier_books_verified_timestamp_seconds)) > $limit ' +
      'or absent(atelier_books_verified_timestamp_seconds)',
    limit: 3 * 86_400,
    // Longer than a worker of a new installation needs to check the books.
    for: '2h',
    summary: 'The books have not been checked for more than three days.',
    impact: 'None. A mistake in the books would stay unnoticed.',
  },
];

/** The page of an alert: AtelierQueueOld is explained in queue-old.md. */
export function runbookOf(name: string): string {
  const words = name.replace(/^Atelier/, '').match(/[A-Z][a-z]+/g) ?? [];
  return `docs/operate/runbooks/${words.join('-').toLowerCase()}.md`;
}

/** The expression with its window and its limit. */
export function exprOf({ expr, window, limit, least }: AlertRow): string {
  return expr
    .replaceAll('$window', window ?? '')
    .replaceAll('$limit', String(limit ?? ''))
    .replaceAll('$least', String(least ?? ''));
}
