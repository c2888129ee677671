import { type Db, statement } from '../../platform/db.ts';

export interface QueueRow {
  readonly modelId: string;
  readonly pool: string;
  readonly queued: number;
  readonly accounts: number;
  readonly oldestAt: Date;
}

/** Every queued generation, by the index of unfinished ones: for the operator, on no request's path. */
const QUEUE_BY_MODEL = statement(
  'queue_by_model',
  `SELECT model_id AS "modelId", pool, count(*) AS queued, count(DISTINCT account_id) AS accounts, min(created_at) AS "oldestAt"
   FROM generation WHERE status IN ('queued', 'processing') AND status = 'queued' GROUP BY 1, 2 ORDER BY min(created_at)`,
);

export function findQueueByModel(db: Db): Promise<QueueRow[]> {
  return db.query<QueueRow>(QUEUE_BY_MODEL);
}

const UNTAKEN = statement(
  'untaken_generations',
  `SELECT id, model_id AS "modelId", pool FROM generation WHERE id = ANY ($1) AND status IN ('queued', 'processing') AND admitted`,
);

export interface UntakenRow {
  readonly id: string;
  readonly modelId: string;
  readonly pool: string;
}

/** Those among these that could run and do not. */
export function findUntaken(db: Db, ids: readonly string[]): Promise<UntakenRow[]> {
  return db.query<UntakenRow>(UNTAKEN, [ids]);
}
