import type { FailureCode, ParamValues, TaskType } from '@atelier/contract';
import { type Db, statement, type Tx } from '../../../platform/db.ts';
import type { EffectiveRequest } from '../generations.store.ts';

/** A generation taken by a worker. `attempt` is the fence: only the latest may settle. */
export interface RunRow {
  readonly id: string;
  readonly accountId: string;
  readonly mode: 'live' | 'test';
  readonly modelId: string;
  readonly taskType: TaskType;
  readonly effectId: string | null;
  readonly params: ParamValues;
  /** Null for generations submitted before it was stored. */
  readonly effective: EffectiveRequest | null;
  readonly outputsRequested: number;
  readonly attempt: number;
  /** The target of the run and its handle there; null until the run is submitted to a target that returns a handle. */
  readonly submittedTarget: string | null;
  readonly submittedHandle: string | null;
  readonly pool: string;
  readonly deadlineAt: Date;
  readonly createdAt: Date;
  readonly startedAt: Date;
  /** The trace of the request that submitted it; null if that was not traced. */
  readonly traceparent: string | null;
}

const TAKE = statement(
  'take_generations',
  `SELECT g.id, g.account_id AS "accountId", a.mode, g.model_id AS "modelId", g.task_type AS "taskType", g.effect_id AS "effectId",
     g.params, g.effective, g.outputs_requested AS "outputsRequested", g.attempt,
     g.submitted_target AS "submittedTarget", g.submitted_handle AS "submittedHandle", g.pool,
     g.deadline_at AS "deadlineAt", g.created_at AS "createdAt", g.started_at AS "startedAt", g.traceparent
   FROM take_generations(p_ids => $1, p_worker => $2, p_models => $3) g JOIN account a ON a.id = g.account_id`,
);

export function takeRows(
  tx: Tx,
  options: { ids: readonly string[]; worker: string; models: readonly string[] },
): Promise<RunRow[]> {
  return tx.query<RunRow>(TAKE, [options.ids, options.worker, options.models]);
}

/** Progress never decreases, whatever the provider reports. */
const PROGRESS = statement(
  'report_progress',
  `UPDATE generation SET progress = greatest(coalesce(progress, 0), $3)
   WHERE id = $1 AND attempt = $2 AND status = 'processing' AND (progress IS NULL OR progress < $3)`,
);

export async function updateProgress(db: Db, run: { id: string; attempt: number; progress: number }): Promise<void> {
  await db.query(PROGRESS, [run.id, run.attempt, run.progress]);
}

const SAVE_SUBMITTED = statement(
  'save_submitted',
  `UPDATE generation SET submitted_target = $3, submitted_handle = $4
   WHERE id = $1 AND attempt = $2 AND status = 'processing' RETURNING id`,
);

/** False if another worker has the run. */
export async function saveSubmitted(
  db: Db,
  run: { id: string; attempt: number; target: string; handle: string },
): Promise<boolean> {
  return (await db.query(SAVE_SUBMITTED, [run.id, run.attempt, run.target, run.handle])).length > 0;
}

const EXTEND_DEADLINE = statement(
  'extend_deadline',
  `UPDATE generation SET deadline_at = greatest(deadline_at, clock_timestamp() + make_interval(secs => $3))
   WHERE id = $1 AND attempt = $2 AND status = 'processing' RETURNING id`,
);

/** Gives a run that only has to store its outputs at least this many more seconds. False if another worker has it. */
export async function extendDeadline(db: Db, run: { id: string; attempt: number; seconds: number }): Promise<boolean> {
  return (await db.query(EXTEND_DEADLINE, [run.id, run.attempt, run.seconds])).length > 0;
}

const SETTLE = statement(
  'settle_generation',
  `SELECT outcome, wake FROM settle_generation(p_id => $1, p_attempt => $2, p_error_code => $3, p_error_message => NULL,
     p_assets => $4, p_retention_days => $5)`,
);

export interface Settlement {
  readonly id: string;
  readonly attempt: number;
  readonly error: FailureCode | null;
  readonly assets: readonly OutputAsset[];
  readonly retentionDays: number;
}

/** An output as `settle_generation` reads it, with the names of the columns. */
export interface OutputAsset {
  readonly id: string;
  readonly position: number;
  readonly kind: string;
  readonly mime_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration_seconds: number | null;
  readonly transparent: boolean | null;
  readonly stem: string | null;
  readonly object_key: string;
  readonly variants: Readonly<Record<string, { key: string; bytes: number; mimeType: string }>>;
}

export interface SettleOutcome {
  readonly outcome: 'settled' | 'fenced';
  readonly wake: string[] | null;
}

export async function settleRow(tx: Tx, settlement: Settlement): Promise<SettleOutcome> {
  const [row] = await tx.query<SettleOutcome>(SETTLE, [
    settlement.id,
    settlement.attempt,
    settlement.error,
    JSON.stringify(settlement.assets),
    settlement.retentionDays,
  ]);
  return row as SettleOutcome;
}

const SETTLE_MANY = statement(
  'settle_generations',
  `SELECT settled, wake FROM settle_generations(p_ids => $1, p_attempts => $2, p_error_codes => $3, p_error_messages => NULL,
     p_assets => $4, p_retention_days => $5)`,
);

/** Settles many runs of different generations at once. The ids that it does not return are fenced. */
export async function settleRows(
  tx: Tx,
  settlements: readonly Settlement[],
): Promise<{ readonly settled: readonly string[]; readonly wake: string[] }> {
  const [row] = await tx.query<{ settled: string[]; wake: string[] }>(SETTLE_MANY, [
    settlements.map(({ id }) => id),
    settlements.map(({ attempt }) => attempt),
    settlements.map(({ error }) => error),
    settlements.map(({ assets }) => JSON.stringify(assets)),
    settlements.map(({ retentionDays }) => retentionDays),
  ]);
  return row as { settled: string[]; wake: string[] };
}

// Joined laterally, so that each job is looked up by its key: the planner would read the whole queue instead. Only a
// generation without its own job is searched for in the payloads.
const STUCK = statement(
  'stuck_generations',
  `SELECT g.id, g.status, g.pool FROM generation g
   LEFT JOIN LATERAL (
     SELECT true AS found FROM pgboss.job j WHERE j.name = g.pool AND j.id = g.id AND j.state IN ('created', 'retry', 'active') LIMIT 1
   ) own ON true
   LEFT JOIN LATERAL (
     SELECT true AS found FROM pgboss.job j
     WHERE own.found IS NULL AND j.name = g.pool AND j.data ->> 'generationId' = g.id::text AND j.state IN ('created', 'retry', 'active') LIMIT 1
   ) other ON true
   WHERE g.admitted AND NOT g.parked AND g.completed_at IS NULL AND g.created_at < now() - interval '30 seconds' AND (
     (g.status = 'processing' AND g.deadline_at < now() - interval '30 seconds')
     OR (own.found IS NULL AND other.found IS NULL)
   ) ORDER BY g.created_at LIMIT $1`,
);

export function findStuck(db: Db, limit: number): Promise<Array<{ id: string; status: string; pool: string }>> {
  return db.query(STUCK, [limit]);
}

const SET_RUN_LIMIT = statement('set_run_limit', 'SELECT set_run_limit(p_account => $1, p_limit => $2) AS wake');

export async function setRunLimitRow(tx: Tx, options: { accountId: string; limit: number }): Promise<string[]> {
  const [row] = await tx.query<{ wake: string[] }>(SET_RUN_LIMIT, [options.accountId, options.limit]);
  return row?.wake ?? [];
}

export interface AccountLimits {
  readonly runLimit: number;
  readonly raisedLimit: number | null;
  readonly rateLimit: number;
}

const PUT_ACCOUNT_LIMITS = statement(
  'put_account_limits',
  `UPDATE account SET raised_limit = CASE WHEN $2 THEN $3 ELSE raised_limit END, rate_limit = coalesce($4, rate_limit)
   WHERE id = $1 RETURNING run_limit AS "runLimit", raised_limit AS "raisedLimit", rate_limit AS "rateLimit"`,
);

/** All limits except the run limit, which admits waiting generations. Null if the account does not exist. */
export async function putAccountLimits(
  tx: Tx,
  options: { accountId: string; raisedLimit?: number | null; rateLimit?: number },
): Promise<AccountLimits | null> {
  const { accountId, raisedLimit, rateLimit } = options;
  const values = [accountId, raisedLimit !== undefined, raisedLimit ?? null, rateLimit ?? null];
  const [row] = await tx.query<AccountLimits>(PUT_ACCOUNT_LIMITS, values);
  return row ?? null;
}

export interface QueueRow {
  readonly pool: string;
  readonly modelId: string;
  /** Without a job, because their accounts have no free slot, or enough others of the model have one. */
  readonly waiting: number;
  /** With a job that no worker has taken. */
  readonly queued: number;
  readonly processing: number;
  /** Age of the oldest that no worker has taken; null if there is none. */
  readonly oldestSeconds: number | null;
}

const QUEUE = statement(
  'queue_by_model',
  `SELECT pool, model_id AS "modelId",
     count(*) FILTER (WHERE status = 'queued' AND (parked OR NOT admitted)) AS waiting,
     count(*) FILTER (WHERE status = 'queued' AND admitted AND NOT parked) AS queued,
     count(*) FILTER (WHERE status = 'processing') AS processing,
     floor(extract(epoch FROM now() - min(created_at) FILTER (WHERE status = 'queued')))::int AS "oldestSeconds"
   FROM generation WHERE completed_at IS NULL GROUP BY pool, model_id ORDER BY pool, model_id`,
);

/** Reads the partial index of live generations: the cost does not depend on the history. */
export function findQueue(db: Db): Promise<QueueRow[]> {
  return db.query<QueueRow>(QUEUE);
}

const UNTAKEN = statement(
  'untaken_generations',
  `SELECT id, model_id AS "modelId", pool FROM generation WHERE id = ANY ($1) AND status IN ('queued', 'processing') AND admitted AND NOT parked
   ORDER BY created_at, id`,
);

export interface UntakenRow {
  readonly id: string;
  readonly modelId: string;
  readonly pool: string;
}

/** The given generations that are live and need a job, oldest first. */
export function findUntaken(db: Db, ids: readonly string[]): Promise<UntakenRow[]> {
  return db.query<UntakenRow>(UNTAKEN, [ids]);
}
