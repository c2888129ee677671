import type { Generation, WebhookEvent } from '@atelier/contract';
import type { EventRow } from './events.store.ts';

/** Events as clients see them. Events of erased generations are skipped. */
export function renderEvents(rows: readonly EventRow[], generations: ReadonlyMap<string, Generation>): WebhookEvent[] {
  return rows.flatMap((row) => {
    const generation = generations.get(row.generationId);
    if (generation === undefined) return [];
    return [{ id: row.id, type: row.type, createdAt: row.createdAt.toISOString(), data: { generation } }];
  });
}
