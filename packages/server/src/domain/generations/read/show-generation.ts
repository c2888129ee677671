import type { Services } from '../../services.ts';
import {
  findAnyGeneration,
  findRunFailures,
  type OperatorGeneration,
  type RunFailure,
} from '../run/run-failures.store.ts';

export type { OperatorGeneration, RunFailure } from '../run/run-failures.store.ts';

const MAX_FAILURES = 200;

export interface ShownGeneration {
  readonly generation: OperatorGeneration;
  /** The provider's message of the latest failure; null if nothing failed. */
  readonly providerMessage: string | null;
  /** Every failure of its runs, oldest first. */
  readonly failures: readonly RunFailure[];
}

/** Everything known about a generation, for the operator's command. Null if it does not exist. */
export async function showGeneration(services: Pick<Services, 'db'>, id: string): Promise<ShownGeneration | null> {
  const generation = await findAnyGeneration(services.db, id);
  if (generation === null) return null;
  const { accountId } = generation;
  const failures = await findRunFailures(services.db, { accountId, id, limit: MAX_FAILURES });
  return { generation, providerMessage: failures.at(-1)?.message ?? null, failures };
}
