import { type Db, statement } from '../../platform/db.ts';

/** At most once a minute. A session that has ended stays ended. */
const extend = (name: string, table: string) =>
  statement(
    name,
    `UPDATE ${table} SET updated_at = now(), expires_at = least(now() + make_interval(hours => $2), created_at + make_interval(hours => $3))
     WHERE id = $1 AND expires_at > now() AND updated_at < now() - interval '1 minute'`,
  );
const EXTEND_SESSION = {
  console: extend('extend_session', 'person_session'),
  desk: extend('extend_desk_session', 'desk_session'),
} as const;

export async function extendSessionRow(
  db: Db,
  session: { id: string; listener: 'console' | 'desk'; idleHours: number; maxHours: number },
): Promise<void> {
  await db.query(EXTEND_SESSION[session.listener], [session.id, session.idleHours, session.maxHours]);
}

export interface SessionRow {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
}

const SESSIONS = statement(
  'sessions_of_person',
  `SELECT id, created_at AS "createdAt", updated_at AS "updatedAt", expires_at AS "expiresAt", ip_address AS "ipAddress",
     user_agent AS "userAgent"
   FROM (SELECT * FROM person_session WHERE person_id = $1 UNION ALL SELECT * FROM desk_session WHERE person_id = $1) s
   WHERE expires_at > now() ORDER BY updated_at DESC LIMIT $2`,
);

export function findSessions(db: Db, { personId, limit }: { personId: string; limit: number }): Promise<SessionRow[]> {
  return db.query<SessionRow>(SESSIONS, [personId, limit]);
}

const DELETE_SESSION = statement(
  'delete_session',
  `WITH at_desk AS (DELETE FROM desk_session WHERE person_id = $1 AND id = $2 RETURNING id),
     at_console AS (DELETE FROM person_session WHERE person_id = $1 AND id = $2 RETURNING id)
   SELECT id FROM at_desk UNION ALL SELECT id FROM at_console`,
);
const DELETE_OTHERS = statement(
  'delete_other_sessions',
  `WITH at_desk AS (DELETE FROM desk_session WHERE person_id = $1)
   DELETE FROM person_session WHERE person_id = $1 AND id <> $2`,
);

export async function deleteSession(db: Db, { personId, id }: { personId: string; id: string }): Promise<boolean> {
  return (await db.query(DELETE_SESSION, [personId, id])).length > 0;
}

export async function deleteOtherSessions(db: Db, { personId, keptId }: { personId: string; keptId: string }) {
  await db.query(DELETE_OTHERS, [personId, keptId]);
}
