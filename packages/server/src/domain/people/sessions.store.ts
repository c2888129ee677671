import { type Db, statement } from '../../platform/db.ts';

/** At most once a minute. A session that has ended stays ended. */
const EXTEND_SESSION = statement(
  'extend_session',
  `UPDATE person_session SET updated_at = now(), expires_at = least(now() + make_interval(hours => $2), created_at + make_interval(hours => $3))
   WHERE id = $1 AND expires_at > now() AND updated_at < now() - interval '1 minute'`,
);

export async function extendSessionRow(
  db: Db,
  session: { id: string; idleHours: number; maxHours: number },
): Promise<void> {
  await db.query(EXTEND_SESSION, [session.id, session.idleHours, session.maxHours]);
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
     user_agent AS "userAgent" FROM person_session WHERE person_id = $1 AND expires_at > now() ORDER BY updated_at DESC LIMIT $2`,
);

export function findSessions(db: Db, { personId, limit }: { personId: string; limit: number }): Promise<SessionRow[]> {
  return db.query<SessionRow>(SESSIONS, [personId, limit]);
}

const DELETE_SESSION = statement(
  'delete_session',
  'DELETE FROM person_session WHERE person_id = $1 AND id = $2 RETURNING id',
);
const DELETE_OTHERS = statement(
  'delete_other_sessions',
  'DELETE FROM person_session WHERE person_id = $1 AND id <> $2',
);

export async function deleteSession(db: Db, { personId, id }: { personId: string; id: string }): Promise<boolean> {
  return (await db.query(DELETE_SESSION, [personId, id])).length > 0;
}

export async function deleteOtherSessions(db: Db, { personId, keptId }: { personId: string; keptId: string }) {
  await db.query(DELETE_OTHERS, [personId, keptId]);
}
