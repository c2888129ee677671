import { withStatementTx } from '../../platform/db.ts';
import { faultPoint } from '../../platform/fault-point.ts';
import type { Services } from '../services.ts';
import { deleteExpired, findKnownKeys } from './retention.store.ts';

const BATCH = 200;
const LIST_BATCH = 1_000;
/** An object younger than this may belong to an upload whose row is about to be written. */
const ORPHAN_AGE_MS = 60 * 60 * 1000;

export type SweepServices = Pick<Services, 'db' | 'store' | 'clock' | 'log'>;

/**
 * Deletes what has expired and what belongs to nobody, in bounded batches. The row goes first: from then on every link is
 * dead, and an object left behind by a crash is an orphan that the next sweep finds.
 */
export async function sweepFiles(
  services: SweepServices,
  signal: AbortSignal,
): Promise<{ expired: number; orphans: number }> {
  const expired = await sweepExpired(services, signal);
  const orphans = await sweepOrphans(services, signal);
  if (expired + orphans > 0) services.log.info('files were swept', { count: expired + orphans });
  return { expired, orphans };
}

async function sweepExpired(services: SweepServices, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const rows = await withStatementTx(services.db, (tx) => deleteExpired(tx, BATCH));
    if (rows.length === 0) break;
    await faultPoint('sweep.mid-delete');
    await services.store.deleteMany(
      rows.flatMap((row) => [row.objectKey, ...Object.values(row.variants).map((variant) => variant.key)]),
    );
    count += rows.length;
  }
  return count;
}

async function sweepOrphans(services: SweepServices, signal: AbortSignal): Promise<number> {
  const oldest = services.clock.now().getTime() - ORPHAN_AGE_MS;
  let count = 0;
  let startAfter: string | undefined;
  while (!signal.aborted) {
    const listed = await services.store.list({
      prefix: 'a/',
      limit: LIST_BATCH,
      ...(startAfter === undefined ? {} : { startAfter }),
    });
    const last = listed.at(-1);
    if (last === undefined) break;
    const old = listed.filter((object) => object.lastModified.getTime() < oldest);
    const known = await findKnownKeys(services.db, [...new Set(old.map((object) => assetIdOf(object.key)))]);
    const orphans = old.filter((object) => !known.has(assetIdOf(object.key))).map((object) => object.key);
    if (orphans.length > 0) await services.store.deleteMany(orphans);
    count += orphans.length;
    if (listed.length < LIST_BATCH) break;
    startAfter = last.key;
  }
  return count;
}

/** Keys are `a/<account>/<asset>/<variant>`. */
function assetIdOf(key: string): string {
  return key.split('/')[2] ?? '';
}
