import type { Asset } from '@atelier/contract';
import type { Services } from '../services.ts';
import { type AssetRow, findInputs, findOutputs, findOutputsOfAccounts, type InputRow } from './assets.store.ts';
import { renderAsset } from './render-asset.ts';

export type InputFacts = InputRow;

/** The account's own files among these ids. Missing files, expired files and files of other accounts are omitted. */
export async function findInputFacts(
  services: Pick<Services, 'db'>,
  key: { accountId: string; ids: readonly string[] },
): Promise<ReadonlyMap<string, InputFacts>> {
  if (key.ids.length === 0) return new Map();
  const rows = await findInputs(services.db, key);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function findOutputAssets(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  key: { accountId: string; generationIds: readonly string[] },
): Promise<ReadonlyMap<string, Asset[]>> {
  if (key.generationIds.length === 0) return new Map();
  return groupByGeneration(services, await findOutputs(services.db, key));
}

/** The outputs of generations of several accounts, each read under its own account. */
export async function findOutputAssetsOfAccounts(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  wanted: ReadonlyArray<{ readonly accountId: string; readonly id: string }>,
): Promise<ReadonlyMap<string, Asset[]>> {
  if (wanted.length === 0) return new Map();
  return groupByGeneration(services, await findOutputsOfAccounts(services.db, wanted));
}

function groupByGeneration(
  services: Pick<Services, 'keys' | 'clock' | 'cdnUrl'>,
  rows: readonly AssetRow[],
): ReadonlyMap<string, Asset[]> {
  const found = new Map<string, Asset[]>();
  for (const row of rows) {
    const list = found.get(row.generationId as string) ?? [];
    list.push(renderAsset(services, row));
    found.set(row.generationId as string, list);
  }
  return found;
}
