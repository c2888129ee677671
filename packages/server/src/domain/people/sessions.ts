import type { Services } from '../services.ts';
import {
  deleteOtherSessions,
  deleteSession,
  extendSessionRow,
  findSessions,
  type SessionRow,
} from './sessions.store.ts';

/** A session ends after this long without a request, and at the latest after `SESSION_MAX_HOURS`. */
export const SESSION_IDLE_HOURS = 12;
export const SESSION_MAX_HOURS = 7 * 24;
const MAX_SHOWN = 100;

/** A request was made with the session: it lasts for another idle period. */
export function extendSession(
  services: Pick<Services, 'db'>,
  session: { id: string; listener: 'console' | 'desk' },
): Promise<void> {
  return extendSessionRow(services.db, { ...session, idleHours: SESSION_IDLE_HOURS, maxHours: SESSION_MAX_HOURS });
}

/** The open sessions of a person, also those at the desk, the last used first. */
export function listSessions(services: Pick<Services, 'db'>, personId: string): Promise<SessionRow[]> {
  return findSessions(services.db, { personId, limit: MAX_SHOWN });
}

/** False if the person has no such session. */
export function endSession(
  services: Pick<Services, 'db'>,
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<boolean> {
  return deleteSession(services.db, { personId, id: sessionId });
}

export function endOtherSessions(
  services: Pick<Services, 'db'>,
  { personId, keptId }: { personId: string; keptId: string },
): Promise<void> {
  return deleteOtherSessions(services.db, { personId, keptId });
}
