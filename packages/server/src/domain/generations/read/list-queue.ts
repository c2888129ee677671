import type { Services } from '../../services.ts';
import { findQueue, type QueueRow } from '../run/runs.store.ts';
import { isServed, readServingFacts } from '../run/serving.ts';

export interface QueuedModel extends QueueRow {
  /** Whether a worker offers one of the model's routes. A model that no worker serves stays queued. */
  readonly served: boolean;
}

/** Queued and running generations by pool and model, for the operator. */
export async function listQueue(services: Pick<Services, 'db' | 'catalog' | 'offers'>): Promise<QueuedModel[]> {
  const rows = await findQueue(services.db);
  const facts = readServingFacts(services);
  return rows.map((row) => ({ ...row, served: isServed(row, facts) }));
}

/** Queued generations that no worker serves. */
export async function listUnserved(services: Pick<Services, 'db' | 'catalog' | 'offers'>): Promise<QueuedModel[]> {
  return (await listQueue(services)).filter(({ served, oldestSeconds }) => !served && oldestSeconds !== null);
}
