import type { WebhookEvent } from '@atelier/contract';
import { findGenerationsOfAccounts } from '../generations/find-generations-of-accounts.ts';
import type { Services } from '../services.ts';
import { type DeliveryRow, findDeliveries } from './webhooks.store.ts';

export interface LoadedDelivery {
  readonly row: DeliveryRow;
  /** Rendered now, so with fresh links; null when its generation is gone. */
  readonly event: WebhookEvent | null;
}

/** Everything that a batch of jobs needs, in three statements however many they are. */
export async function loadDeliveries(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedDelivery>> {
  const rows = await findDeliveries(services.db, ids);
  const wanted = rows.flatMap((row) =>
    row.generationId === null || row.status !== 'pending' ? [] : [{ accountId: row.accountId, id: row.generationId }],
  );
  const generations = await findGenerationsOfAccounts(services, wanted);
  const render = (row: DeliveryRow): WebhookEvent | null => {
    if (row.testEvent !== null) return row.testEvent;
    const generation = row.generationId === null ? undefined : generations.get(row.generationId);
    if (row.eventId === null || row.eventType === null || row.eventCreatedAt === null) return null;
    if (generation === undefined) return null;
    return {
      id: row.eventId,
      type: row.eventType,
      createdAt: row.eventCreatedAt.toISOString(),
      data: { generation },
    };
  };
  return new Map(rows.map((row) => [row.id, { row, event: render(row) }]));
}
