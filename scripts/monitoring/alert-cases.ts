/** For each alert a history in which it stays quiet, fires and clears: one sample a minute, in the notation of promtool. */
export interface AlertCase {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  /** The labels of the alert, without its severity. */
  readonly labels: Readonly<Record<string, string>>;
  /** Minutes from the start. */
  readonly quietAt: number;
  readonly firesAt: number;
  readonly clearsAt: number;
}

const PROCESS = 'instance="api-1:9464",job="atelier"';
const PROCESS_LABELS = { instance: 'api-1:9464', job: 'atelier' };

/** Zero for five minutes, then above the limit for five, then zero again. */
const lateSeries = (limit: number) => `0x4 ${limit + 1}+60x4 0x10`;
const LATE = { quietAt: 5, firesAt: 7, clearsAt: 12 };

export const alertCases: readonly AlertCase[] = [
  {
    alert: 'AtelierProcessDown',
    series: { [`up{${PROCESS}}`]: '1x4 0x6 1x10', 'up{instance="api-2:9464",job="atelier"}': '1x30' },
    labels: PROCESS_LABELS,
    quietAt: 6,
    firesAt: 8,
    clearsAt: 13,
  },
  {
    alert: 'AtelierRoleMissing',
    series: { 'atelier_build_info{role="api"}': '1x30', 'atelier_build_info{role="worker"}': '1x4 stale _x6 1x20' },
    labels: { role: 'worker' },
    quietAt: 6,
    firesAt: 9,
    clearsAt: 15,
  },
  {
    alert: 'AtelierRoleMissing',
    series: { 'atelier_build_info{role="worker"}': '1x30', 'atelier_build_info{role="api"}': '1x4 stale _x6 1x20' },
    labels: { role: 'api' },
    quietAt: 6,
    firesAt: 9,
    clearsAt: 15,
  },
  {
    alert: 'AtelierProcessRestarting',
    series: { [`process_start_time_seconds{${PROCESS}}`]: '100x3 200x3 300x3 400x40' },
    labels: PROCESS_LABELS,
    quietAt: 10,
    firesAt: 13,
    clearsAt: 36,
  },
  {
    alert: 'AtelierDatabaseUnreadable',
    series: {
      'atelier_state_readable{instance="a"}': '1x4 0x5 1x10',
      'atelier_state_readable{instance="b"}': '0x10 1x10',
    },
    labels: {},
    quietAt: 5,
    firesAt: 7,
    clearsAt: 12,
  },
  {
    alert: 'AtelierDependencyDown',
    series: {
      'atelier_dependency_up{instance="api-1:9464",dependency="object_store"}': '1x4 0x5 1x10',
      'atelier_dependency_up{instance="api-1:9464",dependency="database"}': '1x30',
    },
    labels: { instance: 'api-1:9464', dependency: 'object_store' },
    quietAt: 5,
    firesAt: 8,
    clearsAt: 12,
  },
  {
    alert: 'AtelierDatabasePoolExhausted',
    series: { [`atelier_database_waiting{${PROCESS}}`]: '0x4 3x6 0x10' },
    labels: PROCESS_LABELS,
    quietAt: 6,
    firesAt: 9,
    clearsAt: 13,
  },
  {
    alert: 'AtelierRequestsFailing',
    series: {
      'atelier_http_requests_total{operation="createGeneration",status="201"}': '0+60x40',
      'atelier_http_requests_total{operation="createGeneration",status="503"}': '0x10 10+10x9 100x30',
      'atelier_http_requests_total{operation="getGeneration",status="200"}': '0+60x40',
    },
    labels: { operation: 'createGeneration' },
    quietAt: 10,
    firesAt: 18,
    clearsAt: 28,
  },
  {
    alert: 'AtelierRequestsSlow',
    series: {
      'atelier_http_request_seconds_bucket{operation="getGeneration",le="1"}': '0x60',
      'atelier_http_request_seconds_bucket{operation="getGeneration",le="2.5"}': '0+60x20 1200x40',
      'atelier_http_request_seconds_bucket{operation="getGeneration",le="+Inf"}': '0+60x20 1200x40',
      'atelier_http_request_seconds_count{operation="getGeneration"}': '0+60x20 1200x40',
      // Slow by nature: it must not fire.
      'atelier_http_request_seconds_bucket{operation="streamEvents",le="10"}': '0x60',
      'atelier_http_request_seconds_bucket{operation="streamEvents",le="+Inf"}': '0+60x60',
      'atelier_http_request_seconds_count{operation="streamEvents"}': '0+60x60',
    },
    labels: { operation: 'getGeneration' },
    quietAt: 8,
    firesAt: 15,
    clearsAt: 30,
  },
  {
    alert: 'AtelierEventLoopBlocked',
    series: { [`nodejs_eventloop_lag_p99_seconds{${PROCESS}}`]: '0.01x4 0.9x14 0.01x10' },
    labels: PROCESS_LABELS,
    quietAt: 12,
    firesAt: 16,
    clearsAt: 21,
  },
  {
    alert: 'AtelierQueueOld',
    series: {
      'atelier_queue_oldest_seconds{pool="run-local",state="admitted"}': lateSeries(300),
      // Waiting for a slot of the account has no time limit.
      'atelier_queue_oldest_seconds{pool="run-remote",state="waiting"}': '9999x30',
    },
    labels: { pool: 'run-local' },
    ...LATE,
  },
  {
    alert: 'AtelierModelsUnserved',
    series: { atelier_generations_unserved: '0x4 3x8 0x10' },
    labels: {},
    quietAt: 9,
    firesAt: 11,
    clearsAt: 15,
  },
  {
    alert: 'AtelierSettlementLate',
    series: { 'atelier_settlement_lag_seconds{pool="run-remote"}': lateSeries(60) },
    labels: { pool: 'run-remote' },
    ...LATE,
  },
  {
    alert: 'AtelierLeasesLost',
    series: { atelier_settlements_fenced_total: '0x4 1x30' },
    labels: {},
    quietAt: 4,
    firesAt: 6,
    clearsAt: 16,
  },
  {
    alert: 'AtelierGenerationsFailing',
    series: {
      'atelier_generations_settled_total{outcome="succeeded",code=""}': '0+10x60',
      'atelier_generations_settled_total{outcome="failed",code="timeout"}': '0x4 5+5x19 100x40',
    },
    labels: {},
    quietAt: 8,
    firesAt: 20,
    clearsAt: 40,
  },
  {
    alert: 'AtelierBackendDown',
    series: {
      'atelier_backend_circuit_open{backend="studio"}': '0x4 1 0.5 1 1 0.5 1x5 0x10',
      'atelier_backend_circuit_open{backend="other"}': '0x30',
    },
    labels: { backend: 'studio' },
    quietAt: 9,
    firesAt: 12,
    clearsAt: 17,
  },
  {
    alert: 'AtelierWebhooksLate',
    series: { atelier_webhook_lag_seconds: lateSeries(120) },
    labels: {},
    ...LATE,
  },
  {
    alert: 'AtelierWebhooksFailing',
    series: {
      'atelier_webhook_attempts_total{outcome="failed"}': '0+10x40 400x40',
      'atelier_webhook_attempts_total{outcome="ok"}': '0+1x80',
    },
    labels: {},
    quietAt: 10,
    firesAt: 30,
    clearsAt: 60,
  },
  {
    alert: 'AtelierWebhookSecretsSealed',
    series: { 'atelier_webhook_attempts_total{outcome="held"}': '0x4 1x30' },
    labels: {},
    quietAt: 4,
    firesAt: 6,
    clearsAt: 16,
  },
  {
    alert: 'AtelierRedisUnavailable',
    series: { atelier_rate_limit_fallbacks_total: '0x4 5+5x4 25x30' },
    labels: {},
    quietAt: 5,
    firesAt: 7,
    clearsAt: 16,
  },
  {
    alert: 'AtelierStorageErrors',
    series: { 'atelier_object_store_errors_total{operation="put"}': '0x4 5+5x4 25x30' },
    labels: {},
    quietAt: 4,
    firesAt: 8,
    clearsAt: 17,
  },
  {
    alert: 'AtelierSpoolNearlyFull',
    series: {
      [`atelier_spool_size_bytes{${PROCESS}}`]: '1000x40',
      [`atelier_spool_free_bytes{${PROCESS}}`]: '500x4 50x8 500x10',
    },
    labels: PROCESS_LABELS,
    quietAt: 9,
    firesAt: 11,
    clearsAt: 15,
  },
  {
    alert: 'AtelierBucketRefused',
    series: { atelier_bucket_refusals: '0x4 1x8 0x10' },
    labels: {},
    quietAt: 9,
    firesAt: 11,
    clearsAt: 15,
  },
  {
    alert: 'AtelierPaymentsParked',
    series: { atelier_payments_parked_seconds: lateSeries(3_600) },
    labels: {},
    ...LATE,
  },
  {
    alert: 'AtelierCatalogRefused',
    series: { 'atelier_catalog_refused{instance="a"}': '0x4 1x8 0x10' },
    labels: { instance: 'a' },
    quietAt: 6,
    firesAt: 9,
    clearsAt: 15,
  },
  {
    alert: 'AtelierCatalogsDiffer',
    series: {
      'atelier_catalog_info{instance="a",version="1"}': '1x40',
      'atelier_catalog_info{instance="b",version="1"}': '1x4 stale',
      'atelier_catalog_info{instance="b",version="2"}': '_x5 1x20 stale',
    },
    labels: {},
    quietAt: 18,
    firesAt: 23,
    clearsAt: 30,
  },
  {
    alert: 'AtelierUnsafeSettings',
    series: { 'atelier_unsafe_setting{setting="SAFETY_PROMPT"}': '_x4 1x8 stale' },
    labels: { setting: 'SAFETY_PROMPT' },
    quietAt: 8,
    firesAt: 11,
    clearsAt: 15,
  },
  {
    alert: 'AtelierBooksBroken',
    series: { atelier_books_violations: '0x4 2x4 0x10' },
    labels: {},
    quietAt: 4,
    firesAt: 6,
    clearsAt: 11,
  },
  {
    // Never verified, then once. The test begins in 1970.
    alert: 'AtelierBooksUnverified',
    series: { atelier_books_verified_timestamp_seconds: '_x130 7800x40' },
    labels: {},
    quietAt: 110,
    firesAt: 125,
    clearsAt: 135,
  },
  {
    // Last verified more than eight days ago.
    alert: 'AtelierBooksUnverified',
    series: { atelier_books_verified_timestamp_seconds: '-700000x130 7900x40' },
    labels: {},
    quietAt: 110,
    firesAt: 125,
    clearsAt: 135,
  },
];
