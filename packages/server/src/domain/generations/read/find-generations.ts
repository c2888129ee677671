import type { Generation } from '@atelier/contract';
import { findOutputAssetsOfAccounts } from '../../assets/find-assets.ts';
import type { Services } from '../../services.ts';
import { findGenerationRows, findGenerationRowsOfAccounts } from '../generations.store.ts';
import { renderGeneration, renderGenerations } from './render-generation.ts';

export async function findGenerationsById(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  key: { accountId: string; ids: readonly string[] },
): Promise<ReadonlyMap<string, Generation>> {
  if (key.ids.length === 0) return new Map();
  const rows = await findGenerationRows(services.db, key);
  const generations = await renderGenerations(services, key.accountId, rows);
  return new Map(generations.map((generation) => [generation.id, generation]));
}

/** Generations of several accounts, each read under its own account. For the worker, which serves all accounts. */
export async function findGenerationsOfAccounts(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  wanted: ReadonlyArray<{ readonly accountId: string; readonly id: string }>,
): Promise<ReadonlyMap<string, Generation>> {
  if (wanted.length === 0) return new Map();
  const each = [...new Map(wanted.map((one) => [one.id, one])).values()];
  const rows = await findGenerationRowsOfAccounts(services.db, each);
  const succeeded = new Set(rows.filter((row) => row.status === 'succeeded').map((row) => row.id));
  const outputs = await findOutputAssetsOfAccounts(
    services,
    each.filter(({ id }) => succeeded.has(id)),
  );
  return new Map(rows.map((row) => [row.id, renderGeneration(row, outputs.get(row.id) ?? [])]));
}
