import { createHash } from 'node:crypto';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { createDb, type Db, type DbOptions } from '../platform/db.ts';

export interface BossOptions {
  readonly pool: pg.Pool;
  /** Whether this process watches heartbeats and runs the cron; true in workers. */
  readonly supervise: boolean;
  readonly onError: (error: Error) => void;
}

const SUPERVISE_INTERVAL_SECONDS = 2;
const CRON_INTERVAL_SECONDS = 15;
const MAX_PREPARED_TEXTS = 200;

/**
 * The connections of the queue. What they write is repeated if a crash of the database loses it: a job that was fetched or
 * reported is delivered again, and the row of the generation or of the delivery shows whether it is done (decision 0012).
 * A plan made while a queue was empty would read all of its jobs later; planning takes a fraction of a millisecond per batch.
 */
export function createQueueDb(options: Omit<DbOptions, 'asyncCommit' | 'planEachTime'>): Db {
  return createDb({ ...options, asyncCommit: true, planEachTime: true });
}

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
