import type { Services } from '../services.ts';
import { checkEpoch } from './events.store.ts';

/** Puts events written from here on behind all before, should the database have become another one since. */
export function checkEventEpoch(services: Pick<Services, 'db'>): Promise<number> {
  return checkEpoch(services.db);
}
