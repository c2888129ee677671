import { Gauge, type Registry } from 'prom-client';
import type { OpenWork } from '../../domain/operator/read-open-work.ts';
import type { CircuitState } from '../../platform/flow/circuit-breaker.ts';
import { RUN_POOLS } from '../../queue/queues.ts';

type Put = (labels: Record<string, string>, value: number) => void;

interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly put: (state: OpenWork, put: Put) => void;
}

const gauges: readonly GaugeRow[] = [
  {
    name: 'atelier_queue_depth',
    help: 'Unfinished generations, by pool and state: waiting without a job, admitted, processing.',
    labels: ['pool', 'state'],
    put: ({ pools }, put) => {
      for (const pool of RUN_POOLS) {
        const row = pools.find((each) => each.pool === pool);
        put({ pool, state: 'waiting' }, row?.waiting ?? 0);
        put({ pool, state: 'admitted' }, row?.admitted ?? 0);
        put({ pool, state: 'processing' }, row?.processing ?? 0);
      }
    },
  },
  {
    name: 'atelier_queue_oldest_seconds',
    help: 'Age of the oldest queued generation, by pool and state.',
    labels: ['pool', 'state'],
    put: ({ pools }, put) => {
      for (const pool of RUN_POOLS) {
        const row = pools.find((each) => each.pool === pool);
        put({ pool, state: 'waiting' }, row?.oldestWaitingSeconds ?? 0);
        put({ pool, state: 'admitted' }, row?.oldestAdmittedSeconds ?? 0);
      }
    },
  },
  {
    name: 'atelier_settlement_lag_seconds',
    help: 'How far the worst run is past its deadline without being settled, by pool.',
    labels: ['pool'],
    put: ({ pools }, put) => {
      for (const pool of RUN_POOLS) put({ pool }, pools.find((each) => each.pool === pool)?.overdueSeconds ?? 0);
    },
  },
  {
    name: 'atelier_holds_open',
    help: 'Holds that are neither captured nor released.',
    labels: [],
    put: ({ backlog }, put) => put({}, backlog.openHolds),
  },
  {
    name: 'atelier_holds_open_coins',
    help: 'Coins in open holds.',
    labels: [],
    put: ({ backlog }, put) => put({}, backlog.openHoldCoins),
  },
  {
    name: 'atelier_webhook_backlog',
    help: 'Pending webhook deliveries, by state: due now, or scheduled for a retry.',
    labels: ['state'],
    put: ({ backlog }, put) => {
      put({ state: 'due' }, backlog.dueDeliveries);
      put({ state: 'scheduled' }, backlog.scheduledDeliveries);
    },
  },
  {
    name: 'atelier_webhook_lag_seconds',
    help: 'How long the oldest due webhook attempt has been due.',
    labels: [],
    put: ({ backlog }, put) => put({}, backlog.deliveryLagSeconds),
  },
  {
    name: 'atelier_payments_parked',
    help: 'Events of the payment provider that could not be applied yet.',
    labels: [],
    put: ({ backlog }, put) => put({}, backlog.parkedPayments),
  },
  {
    name: 'atelier_payments_parked_seconds',
    help: 'How long the oldest parked event of the payment provider has waited.',
    labels: [],
    put: ({ backlog }, put) => put({}, backlog.parkedPaymentSeconds),
  },
  {
    name: 'atelier_books_violations',
    help: 'Violations that the last check of the books found.',
    labels: [],
    put: ({ books }, put) => {
      if (books !== null) put({}, books.violations);
    },
  },
  {
    name: 'atelier_books_verified_timestamp_seconds',
    help: 'When the books were last checked, in seconds since 1970.',
    labels: [],
    put: ({ books }, put) => {
      if (books !== null) put({}, books.checkedAtSeconds);
    },
  },
];

/** Unfinished work of the installation, read at each scrape. Every process reports the same numbers. */
export function registerOpenWork(registry: Registry, read: () => Promise<OpenWork | null>): void {
  for (const row of gauges) {
    new Gauge({
      name: row.name,
      help: row.help,
      labelNames: [...row.labels],
      registers: [registry],
      async collect() {
        const state = await read();
        this.reset();
        // Without labels a gauge falls back to 0, which would look like a measurement.
        if (row.labels.length === 0) this.remove();
        if (state !== null) row.put(state, (labels, value) => this.set(labels, value));
      },
    });
  }
  new Gauge({
    name: 'atelier_state_readable',
    help: '1 while the numbers of the queue, holds and webhooks can be read from the database.',
    registers: [registry],
    async collect() {
      this.set((await read()) === null ? 0 : 1);
    },
  });
}

/** The circuit of a backend in this process: 0 closed (sends work), 1 open (sends none), 0.5 half-open (one trial call). */
export function registerCircuits(
  registry: Registry,
  circuits: () => ReadonlyArray<{ readonly backend: string; readonly state: CircuitState }>,
): void {
  new Gauge({
    name: 'atelier_backend_circuit_open',
    help: 'Circuit of a backend in this process: 0 closed, 0.5 half-open, 1 open.',
    labelNames: ['backend'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { backend, state } of circuits()) {
        this.set({ backend }, state === 'closed' ? 0 : state === 'open' ? 1 : 0.5);
      }
    },
  });
}

export function registerBuildInfo(registry: Registry, build: { version: string; commit: string; role: string }): void {
  new Gauge({
    name: 'atelier_build_info',
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'commit', 'role', 'node'],
    registers: [registry],
  }).set({ ...build, node: process.version }, 1);
}
