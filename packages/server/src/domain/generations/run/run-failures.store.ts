import type { FailureCode } from '@atelier/contract';
import { type Db, statement } from '../../../platform/db.ts';

/** One failure of a run with the provider's message, for the operator only. */
export interface RunFailure {
  readonly attempt: number;
  /** The target that failed, such as local/modnet; null if the run was not submitted yet. */
  readonly target: string | null;
  readonly code: FailureCode;
  readonly decision: 'retry' | 'fail' | 'drop';
  readonly message: string;
  readonly createdAt: Date;
}

/** Not for an erased generation, which a worker that was overtaken may still try. */
const INSERT = statement(
  'insert_run_failure',
  `INSERT INTO run_failure (generation_id, account_id, attempt, target, code, decision, message)
   SELECT id, account_id, $3, $4, $5, $6, $7 FROM generation WHERE id = $1 AND account_id = $2 AND erased_at IS NULL`,
);

export async function insertRunFailure(
  db: Db,
  failure: Omit<RunFailure, 'createdAt'> & { id: string; accountId: string },
): Promise<void> {
  const { id, accountId, attempt, target, code, decision, message } = failure;
  await db.query(INSERT, [id, accountId, attempt, target, code, decision, message]);
}

const LIST = statement(
  'run_failures',
  `SELECT attempt, target, code, decision, message, created_at AS "createdAt"
   FROM run_failure WHERE account_id = $1 AND generation_id = $2 ORDER BY id LIMIT $3`,
);

export function findRunFailures(
  db: Db,
  options: { accountId: string; id: string; limit: number },
): Promise<RunFailure[]> {
  return db.query<RunFailure>(LIST, [options.accountId, options.id, options.limit]);
}

const DELETE_OLD = statement(
  'delete_old_run_failures',
  `DELETE FROM run_failure WHERE id = ANY (ARRAY(
     SELECT id FROM run_failure WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2)) RETURNING id`,
);

export async function deleteOldRunFailures(db: Db, options: { days: number; limit: number }): Promise<number> {
  return (await db.query(DELETE_OLD, [options.days, options.limit])).length;
}

// Without an account: the operator looks up a generation by id alone.
const FIND_ANY = statement(
  'find_any_generation',
  `SELECT g.id, g.account_id AS "accountId", g.key_id AS "keyId", a.mode, g.channel, g.model_id AS "modelId", g.task_type AS "taskType",
     g.effect_id AS "effectId", g.status, g.admitted, g.pool, g.progress, g.coins_quoted AS "coinsQuoted",
     g.coins_charged AS "coinsCharged", g.outputs_requested AS "outputsRequested", g.error_code AS "errorCode",
     g.attempt, g.worker, g.submitted_target AS target,
     g.deadline_at AS "deadlineAt", g.created_at AS "createdAt", g.started_at AS "startedAt", g.completed_at AS "completedAt",
     (SELECT count(*) FROM asset s WHERE s.account_id = g.account_id AND s.generation_id = g.id) AS outputs
   FROM generation g JOIN account a ON a.id = g.account_id WHERE g.id = $1`,
);

/** A generation as the operator sees it: without the customer's params. */
export interface OperatorGeneration {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly mode: 'live' | 'test';
  readonly channel: string;
  readonly modelId: string;
  readonly taskType: string;
  readonly effectId: string | null;
  readonly status: string;
  readonly admitted: boolean;
  readonly pool: string;
  readonly progress: number | null;
  readonly coinsQuoted: number;
  readonly coinsCharged: number | null;
  readonly outputsRequested: number;
  readonly outputs: number;
  readonly errorCode: FailureCode | null;
  /** The number of takes. */
  readonly attempt: number;
  readonly worker: string | null;
  /** The remote backend of the run, if any. */
  readonly target: string | null;
  readonly deadlineAt: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

export async function findAnyGeneration(db: Db, id: string): Promise<OperatorGeneration | null> {
  const [row] = await db.query<OperatorGeneration>(FIND_ANY, [id]);
  return row ?? null;
}
