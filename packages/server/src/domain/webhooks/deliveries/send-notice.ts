import type { BudgetReached } from '@atelier/contract/console';
import type { Tx } from '../../../platform/db.ts';
import { insertNoticeDeliveries } from './deliveries.store.ts';

/**
 * Sends an event about the account to the endpoints that subscribe to it, with the signature, retries and log of every delivery.
 * The caller wakes `deliver-webhook` after the commit.
 */
export function sendNotice(tx: Tx, notice: { accountId: string; event: BudgetReached }): Promise<void> {
  return insertNoticeDeliveries(tx, notice);
}
