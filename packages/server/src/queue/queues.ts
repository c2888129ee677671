/** The jobs table: every kind of background work, what it carries, and how the queue treats it. */

interface QueueRow {
  /** A job that its worker has not touched for this long goes to another one. */
  readonly heartbeatSeconds: number;
  /** How often a job may be handed out again after its worker died or gave it back. */
  readonly retryLimit: number;
  readonly retryDelaySeconds: number;
  /** The longest that one hand-out may last. */
  readonly expireSeconds: number;
  /** Cron expression of work that recurs. */
  readonly cron?: string;
}

const run: QueueRow = { heartbeatSeconds: 10, retryLimit: 50, retryDelaySeconds: 0, expireSeconds: 86_000 };
const sweep: QueueRow = { heartbeatSeconds: 30, retryLimit: 0, retryDelaySeconds: 0, expireSeconds: 300 };

export const queues = {
  'run-simulator': run,
  'run-local': run,
  'run-remote': run,
  'deliver-webhook': { heartbeatSeconds: 30, retryLimit: 50, retryDelaySeconds: 0, expireSeconds: 120 },
  'sweep-stuck': { ...sweep, cron: '* * * * *' },
  'sweep-files': { ...sweep, cron: '*/10 * * * *' },
  'sweep-events': { ...sweep, cron: '17 * * * *' },
  'sweep-generations': { ...sweep, cron: '37 * * * *' },
  'sweep-webhooks': { ...sweep, cron: '* * * * *' },
} as const satisfies Record<string, QueueRow>;

export type QueueName = keyof typeof queues;
export const RUN_POOLS = ['run-simulator', 'run-local', 'run-remote'] as const satisfies QueueName[];
export type RunPool = (typeof RUN_POOLS)[number];

export interface Payloads {
  'run-simulator': { generationId: string };
  'run-local': { generationId: string };
  'run-remote': { generationId: string };
  'deliver-webhook': { deliveryId: string; round: number; attempt: number };
  'sweep-stuck': Record<string, never>;
  'sweep-files': Record<string, never>;
  'sweep-events': Record<string, never>;
  'sweep-generations': Record<string, never>;
  'sweep-webhooks': Record<string, never>;
}

/** Finished jobs stay this long, for the operator to look at. */
export const JOB_RETENTION_SECONDS = 600;
