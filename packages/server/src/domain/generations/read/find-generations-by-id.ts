import type { Generation } from '@atelier/contract';
import type { Services } from '../../services.ts';
import { findGenerationRows } from '../generations.store.ts';
import { renderGenerations } from './render-generation.ts';

export async function findGenerationsById(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  key: { accountId: string; ids: readonly string[] },
): Promise<ReadonlyMap<string, Generation>> {
  if (key.ids.length === 0) return new Map();
  const rows = await findGenerationRows(services.db, key);
  const generations = await renderGenerations(services, key.accountId, rows);
  return new Map(generations.map((generation) => [generation.id, generation]));
}
