import Type, { type Static, type TSchema } from 'typebox';

/** The jobs table: every kind of background work, its payload and its queue settings. */

interface QueueRow {
  /** The payload of a job. Unknown members are allowed, so that a newer release can add some. */
  readonly payload: TSchema;
  /** A job without a heartbeat for this long goes to another worker. */
  readonly heartbeatSeconds: number;
  /** How often a job may be delivered again after its worker crashed or returned it. */
  readonly retryLimit: number;
  readonly retryDelaySeconds: number;
  /** The maximum duration of one delivery. */
  readonly expireSeconds: number;
  /** Cron expression of recurring work. */
  readonly cron?: string;
}

const Run = Type.Object({ generationId: Type.String() });
const Delivery = Type.Object({ deliveryId: Type.String(), round: Type.Integer(), attempt: Type.Integer() });
/** Numbers as they were when the share was reached. The names are read when the mail is sent, so an erasure covers them. */
const BudgetMail = Type.Object({
  accountId: Type.String(),
  budgetId: Type.String(),
  personId: Type.String(),
  month: Type.String(),
  percent: Type.Integer(),
  coins: Type.Integer(),
  spentCoins: Type.Integer(),
});
const EndpointMail = Type.Object({ accountId: Type.String(), endpointId: Type.String(), personId: Type.String() });
/** Recurring work has no payload; the scheduler stores that as null. */
const Nothing = Type.Union([Type.Null(), Type.Object({})]);

const run = { payload: Run, heartbeatSeconds: 10, retryLimit: 50, retryDelaySeconds: 0, expireSeconds: 86_000 };
const sweep = { payload: Nothing, heartbeatSeconds: 30, retryLimit: 0, retryDelaySeconds: 0, expireSeconds: 300 };

/** A mail server may be unavailable for hours: about eight of them. */
const mail = { heartbeatSeconds: 30, retryLimit: 100, retryDelaySeconds: 300, expireSeconds: 120 };

export const queues = {
  'run-simulator': run,
  'run-local': run,
  'run-remote': run,
  'deliver-webhook': {
    payload: Delivery,
    heartbeatSeconds: 30,
    retryLimit: 50,
    retryDelaySeconds: 0,
    expireSeconds: 120,
  },
  'mail-budget-alert': { ...mail, payload: BudgetMail },
  'mail-endpoint-paused': { ...mail, payload: EndpointMail },
  'sweep-stuck': { ...sweep, cron: '* * * * *' },
  'sweep-files': { ...sweep, cron: '*/10 * * * *' },
  'sweep-events': { ...sweep, cron: '17 * * * *' },
  'sweep-generations': { ...sweep, cron: '37 * * * *' },
  'sweep-webhooks': { ...sweep, cron: '* * * * *' },
  'sweep-budgets': { ...sweep, cron: '* * * * *' },
  // It reads whole tables, which takes minutes in a large installation.
  'verify-books': { ...sweep, expireSeconds: 7_200, cron: '47 * * * *' },
} as const satisfies Record<string, QueueRow>;

export type QueueName = keyof typeof queues;
export const RUN_POOLS = ['run-simulator', 'run-local', 'run-remote'] as const satisfies QueueName[];
export type RunPool = (typeof RUN_POOLS)[number];

export type Payloads = { readonly [Q in QueueName]: Static<(typeof queues)[Q]['payload']> };

/** Finished jobs are kept this long, for inspection. */
export const JOB_RETENTION_SECONDS = 600;
