import { type Db, statement } from '../../platform/db.ts';

/** A request of a known caller that submitted a generation or was refused. */
export interface RequestRecord {
  /** Its X-Request-Id, which is the `instance` of a problem. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly channel: string;
  readonly operation: string;
  readonly status: number;
  /** Of the problem; null if the request succeeded. */
  readonly code: string | null;
  readonly issuePaths: readonly string[];
  readonly generationId: string | null;
  readonly createdAt: Date;
}

const INSERT = statement(
  'insert_request_records',
  `INSERT INTO request_record (id, account_id, key_id, channel, operation, status, code, issue_paths, generation_id)
   SELECT r."id", r."accountId", r."keyId", r."channel", r."operation", r."status", r."code",
     ARRAY(SELECT jsonb_array_elements_text(r."issuePaths")), r."generationId"
   FROM jsonb_to_recordset($1) AS r ("id" uuid, "accountId" uuid, "keyId" uuid, "channel" text, "operation" text, "status" integer,
     "code" text, "issuePaths" jsonb, "generationId" uuid)
   ON CONFLICT DO NOTHING`,
);

export async function insertRecords(db: Db, records: ReadonlyArray<Omit<RequestRecord, 'createdAt'>>): Promise<void> {
  await db.query(INSERT, [JSON.stringify(records)]);
}

const COLUMNS = `id, account_id AS "accountId", key_id AS "keyId", channel, operation, status, code, issue_paths AS "issuePaths",
  generation_id AS "generationId", created_at AS "createdAt"`;

// Without an account: the operator looks up a request by its id alone.
const FIND = statement('find_request_record', `SELECT ${COLUMNS} FROM request_record WHERE id = $1`);

export async function findRecord(db: Db, id: string): Promise<RequestRecord | null> {
  const [row] = await db.query<RequestRecord>(FIND, [id]);
  return row ?? null;
}

const OF_GENERATION = statement(
  'request_records_of_generation',
  `SELECT ${COLUMNS} FROM request_record WHERE account_id = $1 AND generation_id = $2 ORDER BY created_at, id LIMIT $3`,
);

export function findRecordsOf(
  db: Db,
  key: { accountId: string; generationId: string; limit: number },
): Promise<RequestRecord[]> {
  return db.query<RequestRecord>(OF_GENERATION, [key.accountId, key.generationId, key.limit]);
}

const DELETE_OLD = statement(
  'delete_old_request_records',
  `DELETE FROM request_record WHERE id = ANY (ARRAY(
     SELECT id FROM request_record WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT $2)) RETURNING id`,
);

export async function deleteOldRecords(db: Db, options: { days: number; limit: number }): Promise<number> {
  return (await db.query(DELETE_OLD, [options.days, options.limit])).length;
}

const DELETE_OF_ACCOUNT = statement(
  'delete_request_records_of_account',
  'DELETE FROM request_record WHERE account_id = $1',
);

export async function deleteRecordsOf(db: Db, accountId: string): Promise<void> {
  await db.query(DELETE_OF_ACCOUNT, [accountId]);
}
