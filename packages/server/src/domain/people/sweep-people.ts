import type { Services } from '../services.ts';
import { deleteExpired } from './sweep.store.ts';

const BATCH = 1_000;

/** Deletes ended sessions, used or expired one-time values, old counters, pairings and old invitations. */
export async function sweepPeople(services: Pick<Services, 'db'>, signal: AbortSignal): Promise<void> {
  while ((await deleteExpired(services.db, BATCH)) === BATCH) if (signal.aborted) return;
}
