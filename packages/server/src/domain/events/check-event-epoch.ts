import type { Services } from '../services.ts';
import { checkEpoch } from './events.store.ts';

/** Starts a new epoch if the database runs on another server now, so that new events sort after all earlier ones. */
export function checkEventEpoch(services: Pick<Services, 'db'>): Promise<number> {
  return checkEpoch(services.db);
}
