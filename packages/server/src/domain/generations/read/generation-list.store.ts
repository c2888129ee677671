import { type GenerationStatus, MODALITIES, type Modality, WORKSPACES, type Workspace } from '@atelier/contract';
import { type Db, type Statement, statement } from '../../../platform/db.ts';
import { ACCOUNT_COLUMNS, type GenerationRow } from '../generations.store.ts';

export interface ListFilter {
  readonly status?: GenerationStatus | undefined;
  readonly modality?: Modality | undefined;
  readonly workspace?: Workspace | undefined;
  readonly modelId?: string | undefined;
  readonly active?: true | undefined;
}

export interface ListQuery {
  readonly accountId: string;
  readonly filter: ListFilter;
  readonly limit: number;
  readonly after: { readonly createdAt: string; readonly id: string } | null;
}

/** The first page comes after this position. */
const FROM_START = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/**
 * The page of a list. Each branch is a short ordered scan of an index, at most a page long, and the page is the newest rows of
 * all branches. So a filter that matches nothing costs one lookup per branch, whatever the account has.
 */
const newest = (condition: string) => `SELECT g.* FROM generation g
     WHERE g.account_id = $1 AND ${condition} AND (g.created_at, g.id) < ($3, $4) ORDER BY g.created_at DESC, g.id DESC LIMIT $2`;
const listStatement = (name: string, source: string): Statement =>
  statement(
    name,
    `SELECT ${ACCOUNT_COLUMNS} FROM (
       SELECT g.* FROM ${source} ORDER BY g.created_at DESC, g.id DESC LIMIT $2
     ) g ORDER BY g.created_at DESC, g.id DESC`,
  );

/** The keys of the indexes generation_by_state and generation_by_model, written as in their definitions. */
const BY_STATE = `CASE WHEN g.completed_at IS NULL THEN 'live' WHEN g.error_code IS NOT NULL THEN 'failed' WHEN g.coins_charged = 0 THEN 'canceled' ELSE 'succeeded' END
       || '/' || g.modality || '/' || g.workspace`;
const BY_MODEL = `g.model_id || '/' || ${BY_STATE}`;

type State = 'live' | 'succeeded' | 'failed' | 'canceled';
const STATES: { readonly [S in GenerationStatus]: State } = {
  queued: 'live',
  processing: 'live',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
};

const LIST_ALL = listStatement('list_generations', `(${newest('true')}) g`);
/** $5: the branches; $6: queued, or null. Among the live rows only the running ones are skipped, as many as the running limit. */
const branches = (key: string) =>
  `unnest($5::text[]) AS b (key) CROSS JOIN LATERAL (${newest(`${key} = b.key AND ($6::text IS NULL OR g.status = $6)`)}) g`;
const LIST_BY_STATE = listStatement('list_generations_by_state', branches(BY_STATE));
const LIST_BY_MODEL = listStatement('list_generations_by_model', branches(BY_MODEL));
/**
 * $5: whether the branches are admitted, which everything that runs is; $6: the status, or null. The other filters judge
 * running generations, as many as the running limit.
 */
const LIST_LIVE = listStatement(
  'list_generations_live',
  `unnest($5::boolean[]) AS b (admitted) CROSS JOIN LATERAL (${newest(`g.completed_at IS NULL AND g.admitted = b.admitted
       AND ($6::text IS NULL OR g.status = $6) AND ($7::text IS NULL OR g.modality = $7) AND ($8::text IS NULL OR g.workspace = $8)
       AND ($9::text IS NULL OR g.model_id = $9)`)}) g`,
);

export function findGenerations(db: Db, query: ListQuery): Promise<GenerationRow[]> {
  const planned = planList(query.filter);
  if (planned === null) return Promise.resolve([]);
  const { createdAt, id } = query.after ?? FROM_START;
  return db.query<GenerationRow>(planned.statement, [query.accountId, query.limit, createdAt, id, ...planned.values]);
}

/** Null if the filters contradict each other. */
function planList(filter: ListFilter): { statement: Statement; values: unknown[] } | null {
  const { status, modality, workspace, modelId, active } = filter;
  if (active && status !== undefined && STATES[status] !== 'live') return null;
  const live = active === true || (status !== undefined && STATES[status] === 'live');
  const plain = modality === undefined && workspace === undefined && modelId === undefined;
  if (plain && status === undefined && !live) return { statement: LIST_ALL, values: [] };
  if (status === 'processing' || (plain && live)) {
    const admitted = status === 'processing' ? [true] : [true, false];
    return {
      statement: LIST_LIVE,
      values: [admitted, status ?? null, modality ?? null, workspace ?? null, modelId ?? null],
    };
  }
  const states = status === undefined ? (live ? ['live'] : [...new Set(Object.values(STATES))]) : [STATES[status]];
  const keys = states.flatMap((state) =>
    (modality === undefined ? MODALITIES : [modality]).flatMap((kind) =>
      (workspace === undefined ? WORKSPACES : [workspace]).map((place) => `${state}/${kind}/${place}`),
    ),
  );
  const residual = status === 'queued' ? status : null;
  return modelId === undefined
    ? { statement: LIST_BY_STATE, values: [keys, residual] }
    : { statement: LIST_BY_MODEL, values: [keys.map((key) => `${modelId}/${key}`), residual] };
}
