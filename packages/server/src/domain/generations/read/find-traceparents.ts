import type { Services } from '../../services.ts';
import { findTraceparentRows } from '../generations.store.ts';

/** The traces of generations, by id. Reads nothing while nothing is traced. A trace that cannot be read is not worth an error. */
export async function findTraceparents(
  services: Pick<Services, 'db' | 'tracing'>,
  ids: ReadonlyArray<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const wanted = services.tracing.enabled ? ids.filter((id) => id !== null) : [];
  if (wanted.length === 0) return new Map();
  const rows = await findTraceparentRows(services.db, wanted).catch(() => []);
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
}
