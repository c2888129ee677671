import type { Db } from '../../platform/db.ts';
import { findAllOffers, type OfferRow } from './offers.store.ts';

/** The offers of each worker, with the age of its last report. */
export function listOffers(services: { db: Db }): Promise<OfferRow[]> {
  return findAllOffers(services.db);
}
