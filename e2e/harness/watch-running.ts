import { type Db, statement } from '@atelier/server/platform/db.ts';

export interface Watch {
  /** The maximum number of concurrently processing generations of one account, as sampled. */
  readonly most: number;
  readonly samples: number;
  stop(): Promise<void>;
}

const RUNNING = statement(
  'watch_running',
  `SELECT coalesce(max(n), 0)::int AS most FROM (
     SELECT count(*) AS n FROM generation WHERE status = 'processing' AND account_id = ANY ($1) GROUP BY account_id) AS x`,
);

/** Samples the database as fast as possible. */
export function watchRunning(db: Db, accountIds: readonly string[]): Watch {
  let most = 0;
  let samples = 0;
  let stopping = false;
  const watch = async () => {
    while (!stopping) {
      const [row] = await db.query<{ most: number }>(RUNNING, [accountIds]);
      most = Math.max(most, row?.most ?? 0);
      samples += 1;
    }
  };
  const running = watch();
  return {
    get most() {
      return most;
    },
    get samples() {
      return samples;
    },
    async stop() {
      stopping = true;
      await running;
    },
  };
}

const OVERLAP = statement(
  'most_at_once',
  `SELECT coalesce(max(n), 0)::int AS most FROM (
     SELECT sum(step) OVER (PARTITION BY account_id ORDER BY at, step) AS n FROM (
       SELECT account_id, started_at AS at, 1 AS step FROM generation WHERE started_at IS NOT NULL AND account_id = ANY ($1)
       UNION ALL
       SELECT account_id, completed_at, -1 FROM generation
         WHERE started_at IS NOT NULL AND completed_at IS NOT NULL AND account_id = ANY ($1)
     ) AS edge
     WHERE at >= $2
   ) AS y`,
);

/**
 * The most of one account that ran at once, from the recorded times: no moment between two looks can hide from it. What
 * started before `since` is not counted.
 */
export async function findMostAtOnce(db: Db, accountIds: readonly string[], since = new Date(0)): Promise<number> {
  const [row] = await db.query<{ most: number }>(OVERLAP, [accountIds, since]);
  return row?.most ?? 0;
}
