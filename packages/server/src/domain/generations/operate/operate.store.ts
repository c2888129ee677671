import type { ParamValues } from '@atelier/contract';
import { type Db, statement } from '../../../platform/db.ts';
import type { AccountMode } from '../../accounts/caller.ts';

export interface PastGeneration {
  readonly id: string;
  readonly accountId: string;
  readonly effectId: string | null;
  /** Including the model's defaults. */
  readonly params: ParamValues;
  /** Upload ids by param. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  readonly coinsCharged: number;
  readonly coinsPerOutput: number;
  readonly target: string | null;
  readonly createdAt: Date;
}

// Ids are ordered by time: this reads the newest rows by the primary key and stops, however many there are in total.
const PAST = statement(
  'past_generations_of_model',
  `SELECT g.id, g.account_id AS "accountId", g.effect_id AS "effectId", coalesce(g.effective -> 'params', g.params) AS params,
     coalesce(g.effective -> 'inputs', '{}') AS inputs, g.coins_charged AS "coinsCharged",
     g.coins_per_output AS "coinsPerOutput", g.submitted_target AS target, g.created_at AS "createdAt"
   FROM (SELECT * FROM generation ORDER BY id DESC LIMIT $4) g JOIN account a ON a.id = g.account_id
   WHERE g.model_id = $1 AND a.mode = $2 AND g.status = 'succeeded' AND g.erased_at IS NULL ORDER BY g.id DESC LIMIT $3`,
);

export function findPastGenerations(
  db: Db,
  options: { modelId: string; mode: AccountMode; last: number; scanned: number },
): Promise<PastGeneration[]> {
  return db.query<PastGeneration>(PAST, [options.modelId, options.mode, options.last, options.scanned]);
}

export interface ModelUse {
  readonly modelId: string;
  readonly target: string | null;
  readonly generations: number;
  readonly capturedCoins: number;
  readonly outputs: number;
}

const USE = statement(
  'recent_use_of_models',
  `SELECT g.model_id AS "modelId", g.submitted_target AS target, count(*)::int AS generations,
     sum(g.coins_charged)::bigint AS "capturedCoins", sum(g.coins_charged / g.coins_per_output)::bigint AS outputs
   FROM (SELECT model_id, account_id, submitted_target, coins_charged, coins_per_output, status FROM generation ORDER BY id DESC LIMIT $1) g
   JOIN account a ON a.id = g.account_id WHERE a.mode = 'live' AND g.status = 'succeeded' GROUP BY 1, 2`,
);

export function findModelUse(db: Db, scanned: number): Promise<ModelUse[]> {
  return db.query<ModelUse>(USE, [scanned]);
}

export interface FailureCauseRow {
  readonly code: string;
  readonly modelId: string;
  readonly count: number;
  readonly lastAt: Date;
  readonly message: string;
}

const RECENT = `SELECT f.* FROM run_failure f WHERE f.created_at > now() - interval '1 day' AND f.decision = 'fail'
     ORDER BY f.created_at DESC LIMIT $1`;
const CAUSES = statement(
  'failure_causes',
  `SELECT f.code, g.model_id AS "modelId", count(*)::int AS count, max(f.created_at) AS "lastAt",
     (array_agg(f.message ORDER BY f.created_at DESC))[1] AS message
   FROM (${RECENT}) f JOIN generation g ON g.account_id = f.account_id AND g.id = f.generation_id
   GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
);

export function findFailureCauses(db: Db, scanned: number): Promise<FailureCauseRow[]> {
  return db.query<FailureCauseRow>(CAUSES, [scanned]);
}

export interface FailureRow {
  readonly id: number;
  readonly generationId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly modelId: string;
  readonly attempt: number;
  readonly target: string | null;
  readonly code: string;
  readonly decision: 'retry' | 'fail' | 'drop';
  readonly message: string;
  readonly createdAt: Date;
}

const FAILURES = statement(
  'newest_failures',
  `SELECT f.id, f.generation_id AS "generationId", f.account_id AS "accountId", a.name AS "accountName",
     g.model_id AS "modelId", f.attempt, f.target, f.code, f.decision, f.message, f.created_at AS "createdAt"
   FROM (SELECT * FROM run_failure ORDER BY id DESC LIMIT $4) f
   JOIN generation g ON g.account_id = f.account_id AND g.id = f.generation_id JOIN account a ON a.id = f.account_id
   WHERE ($1::text IS NULL OR f.code = $1) AND ($2::text IS NULL OR g.model_id = $2) ORDER BY f.id DESC LIMIT $3`,
);

export function findNewestFailures(
  db: Db,
  options: { code: string | null; modelId: string | null; limit: number; scanned: number },
): Promise<FailureRow[]> {
  return db.query<FailureRow>(FAILURES, [options.code, options.modelId, options.limit, options.scanned]);
}

export interface OpenRow {
  readonly generationId: string;
  readonly accountId: string;
  readonly modelId: string;
  readonly pool: string;
  readonly createdAt: Date;
  /** When it should have ended; null if it does not run. */
  readonly deadlineAt: Date | null;
  readonly overdue: boolean;
}

// The oldest that are admitted: work that is stuck is among them.
const OLDEST = statement(
  'oldest_open_work',
  `SELECT id AS "generationId", account_id AS "accountId", model_id AS "modelId", pool, created_at AS "createdAt",
     deadline_at AS "deadlineAt", coalesce(status = 'processing' AND deadline_at < now() - interval '30 seconds', false) AS overdue
   FROM generation WHERE completed_at IS NULL AND admitted ORDER BY created_at LIMIT $1`,
);

export function findOldestOpen(db: Db, limit: number): Promise<OpenRow[]> {
  return db.query<OpenRow>(OLDEST, [limit]);
}
