import type { EndpointEvent } from '@atelier/contract/console';
import { findGenerationsOfAccounts } from '../../generations/read/find-generations.ts';
import type { Services } from '../../services.ts';
import { type DeliveryRow, findDeliveries, type SentEvent } from './webhooks.store.ts';

/** The request body: rendered when loaded, so its links are fresh. */
export interface Message {
  readonly eventId: string;
  readonly eventType: EndpointEvent;
  readonly body: Buffer;
}

export interface LoadedDelivery {
  readonly row: DeliveryRow;
  /** Null if its generation was deleted. */
  readonly message: Message | null;
}

/** Everything that a batch of jobs needs, in three statements for any batch size. Messages of ended deliveries on request. */
export async function loadDeliveries(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  ids: readonly string[],
  { ended = false }: { ended?: boolean } = {},
): Promise<ReadonlyMap<string, LoadedDelivery>> {
  const rows = await findDeliveries(services.db, ids);
  const wanted = rows.flatMap((row) =>
    row.generationId === null || (row.status !== 'pending' && !ended)
      ? []
      : [{ accountId: row.accountId, id: row.generationId }],
  );
  const generations = await findGenerationsOfAccounts(services, wanted);
  // All endpoints get the same bytes of an event.
  const messages = new Map<string, Message>();
  const render = (row: DeliveryRow): Message | null => {
    const whole = row.testEvent ?? row.notice;
    if (whole !== null) return toMessage(whole);
    const { eventId, eventType, eventCreatedAt } = row;
    const generation = row.generationId === null ? undefined : generations.get(row.generationId);
    if (eventId === null || eventType === null || eventCreatedAt === null || generation === undefined) return null;
    let message = messages.get(eventId);
    if (message === undefined) {
      const createdAt = eventCreatedAt.toISOString();
      message = toMessage({ id: eventId, type: eventType, createdAt, data: { generation } });
      messages.set(eventId, message);
    }
    return message;
  };
  return new Map(rows.map((row) => [row.id, { row, message: render(row) }]));
}

function toMessage(event: SentEvent): Message {
  return { eventId: event.id, eventType: event.type, body: Buffer.from(JSON.stringify(event)) };
}
