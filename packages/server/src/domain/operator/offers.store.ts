import { type Db, statement } from '../../platform/db.ts';

const FIND_OFFERS = statement(
  'find_offers',
  `SELECT DISTINCT target FROM offer WHERE seen_at > now() - make_interval(secs => $1)`,
);

export async function findOffers(db: Db, { lifeSeconds }: { lifeSeconds: number }): Promise<string[]> {
  return (await db.query<{ target: string }>(FIND_OFFERS, [lifeSeconds])).map(({ target }) => target);
}

/** What a worker cannot run, for the operator. */
export interface Unavailable {
  readonly kind: 'engine' | 'check';
  readonly name: string;
  readonly reason: string;
}

// One statement, so that a worker's offers change all at once; any worker clears those of dead workers.
const PUT_OFFERS = statement(
  'put_offers',
  `WITH gone AS (
     DELETE FROM offer
     WHERE (worker = $1 AND target <> ALL ($2::text[])) OR seen_at < now() - make_interval(secs => $3)
   ), gone_status AS (
     DELETE FROM worker_status WHERE worker <> $1 AND seen_at < now() - make_interval(secs => $3)
   ), status AS (
     INSERT INTO worker_status (worker, unavailable) VALUES ($1, $4)
     ON CONFLICT (worker) DO UPDATE SET seen_at = now(), unavailable = excluded.unavailable
   )
   INSERT INTO offer (worker, target) SELECT $1, unnest($2::text[])
   ON CONFLICT (worker, target) DO UPDATE SET seen_at = now()`,
);

export async function putOffers(
  db: Db,
  offers: {
    worker: string;
    targets: readonly string[];
    unavailable: readonly Unavailable[];
    lifeSeconds: number;
  },
): Promise<void> {
  await db.query(PUT_OFFERS, [offers.worker, offers.targets, offers.lifeSeconds, JSON.stringify(offers.unavailable)]);
}

const REMOVE_WORKER = statement(
  'remove_worker',
  `WITH gone AS (DELETE FROM offer WHERE worker = $1) DELETE FROM worker_status WHERE worker = $1`,
);

export async function removeWorker(db: Db, worker: string): Promise<void> {
  await db.query(REMOVE_WORKER, [worker]);
}

const LIST_WORKERS = statement(
  'list_workers',
  `SELECT s.worker, s.seen_at AS "seenAt", s.unavailable,
     ARRAY(SELECT o.target FROM offer o WHERE o.worker = s.worker ORDER BY o.target) AS targets
   FROM worker_status s WHERE s.seen_at > now() - make_interval(secs => $1) ORDER BY s.worker`,
);

export interface WorkerStatus {
  readonly worker: string;
  readonly seenAt: Date;
  readonly targets: readonly string[];
  readonly unavailable: readonly Unavailable[];
}

export function findWorkers(db: Db, { lifeSeconds }: { lifeSeconds: number }): Promise<WorkerStatus[]> {
  return db.query<WorkerStatus>(LIST_WORKERS, [lifeSeconds]);
}

export interface OfferRow {
  readonly worker: string;
  readonly target: string;
  readonly ageSeconds: number;
}

const ALL_OFFERS = statement(
  'all_offers',
  `SELECT worker, target, floor(extract(epoch FROM now() - seen_at))::int AS "ageSeconds" FROM offer ORDER BY target, worker`,
);

export function findAllOffers(db: Db): Promise<OfferRow[]> {
  return db.query<OfferRow>(ALL_OFFERS);
}
