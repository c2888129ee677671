import type { FailureCode, GenerationStatus, Modality, ParamValues, TaskType, Workspace } from '@atelier/contract';
import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface GenerationRow {
  readonly id: string;
  readonly modelId: string;
  readonly modelName: string;
  readonly taskType: TaskType;
  readonly modality: Modality;
  readonly workspace: Workspace;
  readonly effectId: string | null;
  readonly effectText: string | null;
  readonly status: GenerationStatus;
  /** Whether its account runs as many as it may; used only while it is queued. */
  readonly atLimit: boolean;
  readonly progress: number | null;
  readonly queuePosition: number | null;
  readonly pool: string;
  readonly params: ParamValues;
  readonly coinsQuoted: number;
  readonly coinsCharged: number | null;
  readonly outputsRequested: number;
  readonly errorCode: FailureCode | null;
  readonly projectId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

/**
 * The queue position is computed from queue numbers, so its cost does not depend on the length of the queue. If the account
 * is a parameter, the part that is the same for all its rows is computed once.
 */
const columnsOf = (
  account: '$1' | 'g.account_id',
) => `g.id, g.model_id AS "modelId", g.model_name AS "modelName", g.task_type AS "taskType", g.modality, g.workspace,
  g.effect_id AS "effectId", g.effect_text AS "effectText", g.status, g.progress,
  CASE WHEN g.status = 'queued' THEN (SELECT is_at_limit(p_account => ${account})) ELSE false END AS "atLimit",
  CASE WHEN g.status <> 'queued' THEN NULL WHEN g.admitted THEN (
    SELECT count(*) FROM generation q
    WHERE q.account_id = g.account_id AND q.status = 'queued' AND q.admitted AND q.completed_at IS NULL
      AND (q.created_at, q.id) <= (g.created_at, g.id)
  ) ELSE g.queue_number + (SELECT queue_offset(p_account => ${account}))
    - count_gaps(p_account => g.account_id, p_upto => g.queue_number) END AS "queuePosition", g.pool,
  g.params, g.coins_quoted AS "coinsQuoted", g.coins_charged AS "coinsCharged", g.outputs_requested AS "outputsRequested",
  g.error_code AS "errorCode", g.project_id AS "projectId",
  g.created_at AS "createdAt", g.started_at AS "startedAt", g.completed_at AS "completedAt"`;

/** Of rows `g` of the account $1. */
export const ACCOUNT_COLUMNS = columnsOf('$1');

const FIND = statement(
  'find_generation',
  `SELECT ${ACCOUNT_COLUMNS} FROM generation g WHERE g.account_id = $1 AND g.id = $2`,
);

export async function findGeneration(db: Db, key: { accountId: string; id: string }): Promise<GenerationRow | null> {
  const [row] = await db.query<GenerationRow>(FIND, [key.accountId, key.id]);
  return row ?? null;
}

/** The creation time in microseconds, which a Date cannot hold; a cursor needs it. */
const EXACT_TIME = statement(
  'generation_exact_time',
  `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM generation WHERE account_id = $1 AND id = $2`,
);

export async function findExactTime(db: Db, key: { accountId: string; id: string }): Promise<string | null> {
  const [row] = await db.query<{ at: string }>(EXACT_TIME, [key.accountId, key.id]);
  return row?.at ?? null;
}

/** State that is checked before a refused submit reports its refusal. */
export interface SubmitterRow {
  readonly locked: boolean;
  /** Seconds until the cooldown ends; null if there is none. */
  readonly cooldownSeconds: number | null;
  /** The generation of this idempotency key, if any. */
  readonly originalId: string | null;
  readonly fingerprint: Buffer | null;
}

/** One round trip by two unique indexes: the current account and the generation of the key. */
const FIND_SUBMITTER = statement(
  'find_submitter',
  `SELECT a.locked_at IS NOT NULL AS locked, g.id AS "originalId", g.fingerprint,
     CASE WHEN a.cooldown_until > now() THEN ceil(extract(epoch FROM a.cooldown_until - now()))::integer END AS "cooldownSeconds"
   FROM account a LEFT JOIN generation g ON g.account_id = a.id AND g.idempotency_key = $2 WHERE a.id = $1`,
);

export async function findSubmitter(
  db: Db,
  key: { accountId: string; idempotencyKey: string },
): Promise<SubmitterRow | null> {
  const [row] = await db.query<SubmitterRow>(FIND_SUBMITTER, [key.accountId, key.idempotencyKey]);
  return row ?? null;
}

export type SubmitRefusal =
  | 'idempotency_conflict'
  | 'api_key_revoked'
  | 'api_key_expired'
  | 'account_locked'
  | 'cooldown'
  | 'insufficient_coins'
  | 'spend_cap_exceeded';

/** What the submits of a key may cost together on one UTC day. Held coins count until they are released. */
export interface DailyBudget {
  readonly id: string;
  readonly coins: number;
}

export interface SubmitOutcome {
  readonly outcome: 'created' | 'replayed' | 'budget_exceeded' | 'request_cap_exceeded' | SubmitRefusal;
  readonly generationId: string | null;
  readonly createdAt: Date | null;
  readonly admitted: boolean | null;
  /** Whether the account runs as many as it may. */
  readonly atLimit: boolean | null;
  readonly queuePosition: number | null;
  readonly retryAfter: number | null;
  /** What was left of the budget; null without one, and once it has its largest number of generations. */
  readonly budgetLeft: number | null;
  /** The cap of the key that the price exceeds. */
  readonly requestCap: number | null;
}

const SUBMIT = statement(
  'submit_generation',
  `SELECT outcome, generation_id AS "generationId", created_at AS "createdAt", admitted, at_limit AS "atLimit", queue_position AS "queuePosition",
     retry_after AS "retryAfter", budget_left AS "budgetLeft", request_cap AS "requestCap"
   FROM submit_generation(p_id => $1, p_account => $2, p_key => $3, p_channel => $4,
     p_idempotency_key => $5, p_fingerprint => $6, p_model_id => $7, p_model_name => $8,
     p_task_type => $9, p_modality => $10, p_workspace => $11, p_effect_id => $12, p_effect_text => $13,
     p_params => $14, p_project_id => $15, p_consent_version => $16, p_pool => $17,
     p_coins => $18, p_coins_per_output => $19, p_outputs => $20, p_max_coins => $21,
     p_pricebook_version => $22, p_deadline_seconds => $23, p_inputs => $24, p_effective => $25,
     p_session_budget_id => $26, p_session_budget_coins => $27,
     p_traceparent => $28)`,
);

/** The effective request at the time of the submit: later catalog edits do not change it. */
export interface EffectiveRequest {
  /** Including the model's defaults. */
  readonly params: ParamValues;
  /** Upload ids by param. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  /** Provider settings of the effect; empty without one. */
  readonly effectSettings: Readonly<Record<string, unknown>>;
}

export interface Submission {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly channel: string;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly modelId: string;
  readonly modelName: string;
  readonly taskType: TaskType;
  readonly modality: Modality;
  readonly workspace: Workspace;
  readonly effectId: string | null;
  readonly effectText: string | null;
  readonly params: ParamValues;
  readonly projectId: string | null;
  readonly consentVersion: string | null;
  readonly pool: string;
  readonly coins: number;
  readonly coinsPerOutput: number;
  readonly outputs: number;
  readonly maxCoins: number | null;
  readonly pricebookVersion: string;
  readonly deadlineSeconds: number;
  readonly inputIds: readonly string[];
  readonly effective: EffectiveRequest;
  readonly budget: DailyBudget | null;
  /** The trace of the request; null if it is not traced. */
  readonly traceparent: string | null;
}

export async function submitGeneration(tx: Tx, s: Submission): Promise<SubmitOutcome> {
  const [row] = await tx.query<SubmitOutcome>(SUBMIT, [
    s.id,
    s.accountId,
    s.keyId,
    s.channel,
    s.idempotencyKey,
    s.fingerprint,
    s.modelId,
    s.modelName,
    s.taskType,
    s.modality,
    s.workspace,
    s.effectId,
    s.effectText,
    JSON.stringify(s.params),
    s.projectId,
    s.consentVersion,
    s.pool,
    s.coins,
    s.coinsPerOutput,
    s.outputs,
    s.maxCoins,
    s.pricebookVersion,
    s.deadlineSeconds,
    s.inputIds,
    JSON.stringify(s.effective),
    s.budget?.id ?? null,
    s.budget?.coins ?? null,
    s.traceparent,
  ]);
  return row as SubmitOutcome;
}

const CANCEL = statement(
  'cancel_generation',
  'SELECT outcome, wake FROM cancel_generation(p_account => $1, p_id => $2)',
);

export async function cancelRow(
  tx: Tx,
  key: { accountId: string; id: string },
): Promise<{ outcome: 'canceled' | 'not_cancelable' | 'not_found'; wake: string[] | null }> {
  const [row] = await tx.query<{ outcome: 'canceled' | 'not_cancelable' | 'not_found'; wake: string[] | null }>(
    CANCEL,
    [key.accountId, key.id],
  );
  return row as { outcome: 'canceled' | 'not_cancelable' | 'not_found'; wake: string[] | null };
}

const FIND_MANY = statement(
  'find_generation_rows',
  `SELECT ${ACCOUNT_COLUMNS} FROM generation g WHERE g.account_id = $1 AND g.id = ANY ($2)`,
);

export function findGenerationRows(
  db: Db,
  key: { accountId: string; ids: readonly string[] },
): Promise<GenerationRow[]> {
  return db.query<GenerationRow>(FIND_MANY, [key.accountId, key.ids]);
}

/** Each row is read under the account named with it. The first condition selects the rows, the second checks the pairs. */
const FIND_OF_ACCOUNTS = statement(
  'find_generations_of_accounts',
  `SELECT ${columnsOf('g.account_id')} FROM generation g
   WHERE g.id = ANY ($2) AND (g.account_id, g.id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))`,
);

export function findGenerationRowsOfAccounts(
  db: Db,
  wanted: ReadonlyArray<{ readonly accountId: string; readonly id: string }>,
): Promise<GenerationRow[]> {
  return db.query<GenerationRow>(FIND_OF_ACCOUNTS, [
    wanted.map((each) => each.accountId),
    wanted.map((each) => each.id),
  ]);
}

const FIND_TRACEPARENTS = statement(
  'find_traceparents',
  'SELECT id, traceparent FROM generation WHERE id = ANY ($1) AND traceparent IS NOT NULL',
);

/** The traces of the given generations, of those that are traced. */
export function findTraceparentRows(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyArray<{ readonly id: string; readonly traceparent: string }>> {
  return db.query(FIND_TRACEPARENTS, [ids]);
}
