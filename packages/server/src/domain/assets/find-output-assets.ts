import type { Asset } from '@atelier/contract';
import type { Services } from '../services.ts';
import { findOutputs } from './assets.store.ts';
import { renderAsset } from './render-asset.ts';

export async function findOutputAssets(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  key: { accountId: string; generationIds: readonly string[] },
): Promise<ReadonlyMap<string, Asset[]>> {
  const found = new Map<string, Asset[]>();
  if (key.generationIds.length === 0) return found;
  for (const row of await findOutputs(services.db, key)) {
    const list = found.get(row.generationId as string) ?? [];
    list.push(renderAsset(services, row));
    found.set(row.generationId as string, list);
  }
  return found;
}
