import { createHash } from 'node:crypto';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { JOB_RETENTION_SECONDS, queues } from './queues.ts';

export interface BossOptions {
  readonly pool: pg.Pool;
  /** Whether this process watches heartbeats and runs the cron; true in workers. */
  readonly supervise: boolean;
  readonly onError: (error: Error) => void;
}

const SUPERVISE_INTERVAL_SECONDS = 2;
const CRON_INTERVAL_SECONDS = 15;
const MAX_PREPARED_TEXTS = 200;

/** pg-boss on our own pool. Its statements are few and repeat, so each is prepared under a name derived from its text. */
export function createBoss(options: BossOptions): PgBoss {
  const names = new Map<string, string>();
  const boss = new PgBoss({
    db: {
      async executeSql(text: string, values: unknown[] = []) {
        if (values.length === 0) return options.pool.query(text);
        let name = names.get(text);
        if (name === undefined && names.size < MAX_PREPARED_TEXTS) {
          name = `boss_${createHash('sha1').update(text).digest('hex').slice(0, 16)}`;
          names.set(text, name);
        }
        return options.pool.query(name === undefined ? { text, values } : { name, text, values });
      },
    },
    migrate: false,
    createSchema: false,
    supervise: options.supervise,
    schedule: options.supervise,
    superviseIntervalSeconds: SUPERVISE_INTERVAL_SECONDS,
    monitorIntervalSeconds: SUPERVISE_INTERVAL_SECONDS,
    maintenanceIntervalSeconds: 60,
    cronMonitorIntervalSeconds: CRON_INTERVAL_SECONDS,
    cronWorkerIntervalSeconds: CRON_INTERVAL_SECONDS,
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', options.onError);
  return boss;
}

/** Creates or updates pg-boss's own schema and one queue per row of the jobs table. Runs with the owner's rights. */
export async function installQueues(connectionString: string): Promise<void> {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false, max: 2 });
  boss.on('error', () => {});
  await boss.start();
  try {
    for (const [name, row] of Object.entries(queues)) {
      const options = {
        heartbeatSeconds: row.heartbeatSeconds,
        retryLimit: row.retryLimit,
        retryDelay: row.retryDelaySeconds,
        expireInSeconds: row.expireSeconds,
        deleteAfterSeconds: JOB_RETENTION_SECONDS,
      };
      await boss.createQueue(name, options);
      await boss.updateQueue(name, options);
      if ('cron' in row) await boss.schedule(name, row.cron);
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}
