import type { Db } from '../../platform/db.ts';
import { findAllOffers, type OfferRow } from './offers.store.ts';

/** What each worker says that it can run, with the age of its last word. */
export function listOffers(services: { db: Db }): Promise<OfferRow[]> {
  return findAllOffers(services.db);
}
