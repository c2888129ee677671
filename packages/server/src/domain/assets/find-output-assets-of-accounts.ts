import type { Asset } from '@atelier/contract';
import type { Services } from '../services.ts';
import { findOutputsOfAccounts } from './assets.store.ts';
import { renderAsset } from './render-asset.ts';

/** The outputs of generations of several accounts, each asked for under its own account. */
export async function findOutputAssetsOfAccounts(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  wanted: ReadonlyArray<{ readonly accountId: string; readonly id: string }>,
): Promise<ReadonlyMap<string, Asset[]>> {
  const found = new Map<string, Asset[]>();
  if (wanted.length === 0) return found;
  for (const row of await findOutputsOfAccounts(services.db, wanted)) {
    const list = found.get(row.generationId as string) ?? [];
    list.push(renderAsset(services, row));
    found.set(row.generationId as string, list);
  }
  return found;
}
