import { withStatementTx } from '../../platform/db.ts';
import { faultPoint } from '../../platform/fault-point.ts';
import type { Services } from '../services.ts';
import { findOrphans } from './find-orphans.ts';
import {
  deleteExpired,
  deleteExpiredPieces,
  findSweepPlace,
  OBJECT_PREFIXES,
  type ObjectPrefix,
  saveSweepPlace,
} from './retention.store.ts';

const BATCH = 200;
const LIST_PAGE = 1_000;
/** One sweep reads this much of the bucket; the next goes on from there. Every ten minutes: 7 million objects a day. */
const MAX_PAGES = 50;
/** An object younger than this may belong to an upload whose row is about to be written. */
const ORPHAN_AGE_MS = 60 * 60 * 1000;

export type SweepServices = Pick<Services, 'db' | 'store' | 'clock' | 'log'>;

export interface Swept {
  readonly expired: number;
  readonly orphans: number;
}

/**
 * Deletes what has expired and what belongs to nobody, in bounded batches. The row goes first: from then on every link is
 * dead, and an object left behind by a crash is an orphan that a later sweep finds.
 */
export async function sweepFiles(
  services: SweepServices,
  options: { signal: AbortSignal; orphanAgeMs?: number; maxPages?: number },
): Promise<Swept> {
  const { signal, orphanAgeMs = ORPHAN_AGE_MS, maxPages = MAX_PAGES } = options;
  const expired = await sweepExpired(services, signal);
  let orphans = 0;
  for (const prefix of OBJECT_PREFIXES) {
    const olderThan = new Date(services.clock.now().getTime() - orphanAgeMs);
    orphans += await sweepOrphans(services, { prefix, olderThan, maxPages, signal });
  }
  if (expired + orphans > 0) services.log.info('files were swept', { count: expired + orphans });
  return { expired, orphans };
}

async function sweepExpired(services: SweepServices, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const rows = await withStatementTx(services.db, (tx) => deleteExpired(tx, BATCH));
    const pieces = await withStatementTx(services.db, (tx) => deleteExpiredPieces(tx, BATCH));
    if (rows.length + pieces.length === 0) break;
    await faultPoint('sweep.mid-delete');
    await services.store.deleteMany([
      ...rows.flatMap((row) => [row.objectKey, ...Object.values(row.variants).map((variant) => variant.key)]),
      ...pieces.flatMap((row) => row.parts),
    ]);
    count += rows.length + pieces.length;
  }
  return count;
}

async function sweepOrphans(
  services: SweepServices,
  options: { prefix: ObjectPrefix; olderThan: Date; maxPages: number; signal: AbortSignal },
): Promise<number> {
  const { prefix, olderThan } = options;
  let count = 0;
  let startAfter = await findSweepPlace(services.db, prefix);
  for (let page = 0; page < options.maxPages && !options.signal.aborted; page += 1) {
    const { keys, next } = await findOrphans(services, { prefix, startAfter, limit: LIST_PAGE, olderThan });
    if (keys.length > 0) await services.store.deleteMany(keys);
    count += keys.length;
    startAfter = next;
    await saveSweepPlace(services.db, { prefix, afterKey: next });
    if (next === null) break;
  }
  return count;
}
