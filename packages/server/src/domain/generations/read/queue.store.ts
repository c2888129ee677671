import { type Db, statement } from '../../../platform/db.ts';

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
