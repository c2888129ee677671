import { type Db, withStatementTx } from '../../../platform/db.ts';
import { type DeliveryPlace, eraseDeliveryBatch, findEndpointIds } from './delivery-erasure.store.ts';

const BATCH = 500;
const BEGINNING: DeliveryPlace = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Removes the responses of an account's endpoints and stops pending deliveries. Safe to repeat. */
export async function eraseAccountDeliveries(services: { db: Db }, accountId: string): Promise<{ deliveries: number }> {
  let deliveries = 0;
  for (const endpointId of await findEndpointIds(services.db, accountId)) {
    for (let after = BEGINNING; ; ) {
      const batch = await withStatementTx(services.db, (tx) =>
        eraseDeliveryBatch(tx, { accountId, endpointId, after, limit: BATCH }),
      );
      if (batch === null) break;
      deliveries += batch.erased;
      after = batch.last;
    }
  }
  return { deliveries };
}
