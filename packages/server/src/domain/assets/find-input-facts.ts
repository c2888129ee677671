import type { Services } from '../services.ts';
import { findInputs, type InputRow } from './assets.store.ts';

export type InputFacts = InputRow;

/** The account's own files among these ids. What is missing, foreign or expired is simply not there. */
export async function findInputFacts(
  services: Pick<Services, 'db'>,
  key: { accountId: string; ids: readonly string[] },
): Promise<ReadonlyMap<string, InputFacts>> {
  if (key.ids.length === 0) return new Map();
  const rows = await findInputs(services.db, key);
  return new Map(rows.map((row) => [row.id, row]));
}
