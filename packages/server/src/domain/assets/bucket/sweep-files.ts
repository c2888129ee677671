import { withStatementTx } from '../../../platform/db.ts';
import { faultPoint } from '../../../platform/fault-point.ts';
import type { Services } from '../../services.ts';
import {
  deletableKeys,
  deleteOwned,
  judgeOwnership,
  type PrefixState,
  recordRefusals,
  renewOwnership,
} from './bucket-ownership.ts';
import { findOrphans } from './find-orphans.ts';
import {
  deleteExpired,
  deleteExpiredPieces,
  findSweepPlace,
  OBJECT_KINDS,
  type ObjectKind,
  saveSweepPlace,
} from './retention.store.ts';

const BATCH = 200;
const LIST_PAGE = 1_000;
/** The part of the bucket that one sweep reads; the next continues there. Every ten minutes: 7 million objects a day. */
const MAX_PAGES = 50;
/** A newer object may belong to an upload whose row is not written yet. */
const ORPHAN_AGE_MS = 60 * 60 * 1000;

/**
 * Crashes leave few orphans. A higher number or share means that rows are missing; then nothing is deleted until the
 * operator allows it.
 */
export const MAX_ORPHANS = 10_000;
export const MAX_ORPHAN_SHARE = 0.2;
/** Below this number the share is not significant. */
export const MIN_ORPHANS_JUDGED = 250;

export type SweepServices = Pick<Services, 'db' | 'store' | 'clock' | 'log'>;

export interface Swept {
  readonly expired: number;
  readonly orphans: number;
  /** Why objects were not deleted. */
  readonly refused: readonly string[];
}

export interface SweepOptions {
  readonly signal: AbortSignal;
  readonly orphanAgeMs?: number;
  readonly maxPages?: number;
  /** The operator has checked: delete any number of orphans. */
  readonly anyShare?: boolean;
}

/**
 * Deletes expired and orphaned objects in bounded batches, where this installation owns the bucket. The row is deleted
 * first: this invalidates every link, and an object left behind by a crash is an orphan that a later sweep finds. The
 * layout without a prefix is not searched for orphans, since older installations may share it.
 */
export async function sweepFiles(services: SweepServices, options: SweepOptions): Promise<Swept> {
  await renewOwnership(services);
  const expired = await sweepExpired(services, options.signal);
  let orphans = 0;
  const states: PrefixState[] = [];
  for (const state of await judgeOwnership(services)) {
    let { refusal } = state;
    if (refusal === null && state.prefix !== '') {
      for (const kind of OBJECT_KINDS) {
        const swept = await sweepOrphans(services, { ...options, prefix: state.prefix, kind });
        orphans += swept.orphans;
        refusal ??= swept.refusal;
      }
    }
    states.push({ prefix: state.prefix, refusal });
  }
  await recordRefusals(services, states);
  const refused = states.flatMap(({ prefix, refusal }) =>
    refusal === null ? [] : [`${prefix || '(no prefix)'}: ${refusal}`],
  );
  for (const reason of refused) services.log.error('sweep refused to delete files', { reason });
  if (expired + orphans > 0) services.log.info('files deleted by sweep', { count: expired + orphans });
  return { expired, orphans, refused };
}

async function sweepExpired(services: SweepServices, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const batch = { limit: BATCH, deletable: deletableKeys(await judgeOwnership(services)) };
    const rows = await withStatementTx(services.db, (tx) => deleteExpired(tx, batch));
    const pieces = await withStatementTx(services.db, (tx) => deleteExpiredPieces(tx, batch));
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

interface OrphanSweep extends SweepOptions {
  readonly prefix: string;
  readonly kind: ObjectKind;
}

/** Lists, checks the number found, then deletes. A refusal keeps the position, so the next sweep finds the same objects. */
async function sweepOrphans(
  services: SweepServices,
  options: OrphanSweep,
): Promise<{ orphans: number; refusal: string | null }> {
  const { prefix, kind, orphanAgeMs = ORPHAN_AGE_MS, maxPages = MAX_PAGES } = options;
  const olderThan = new Date(services.clock.now().getTime() - orphanAgeMs);
  const place = `${prefix}${kind}`;
  let startAfter = await findSweepPlace(services.db, place);
  const orphans: string[] = [];
  let seen = 0;
  for (let page = 0; page < maxPages && !options.signal.aborted; page += 1) {
    const found = await findOrphans(services, { prefix, kind, startAfter, limit: LIST_PAGE, olderThan });
    orphans.push(...found.keys);
    seen += found.seen;
    startAfter = found.next;
    if (startAfter === null) break;
  }
  if (options.anyShare !== true) {
    const refusal = judgeOrphans({ orphans: orphans.length, seen });
    if (refusal !== null) return { orphans: 0, refusal };
  }
  for (let from = 0; from < orphans.length && !options.signal.aborted; from += LIST_PAGE) {
    await deleteOwned(services, orphans.slice(from, from + LIST_PAGE));
  }
  await saveSweepPlace(services.db, { prefix: place, afterKey: startAfter });
  return { orphans: orphans.length, refusal: null };
}

/** Why so many objects cannot all be orphans; null if they can. */
export function judgeOrphans({ orphans, seen }: { orphans: number; seen: number }): string | null {
  const isShareHigh = orphans > MIN_ORPHANS_JUDGED && orphans > seen * MAX_ORPHAN_SHARE;
  if (orphans <= MAX_ORPHANS && !isShareHigh) return null;
  return `${orphans} of ${seen} objects have no row; at most ${MAX_ORPHANS} and ${MAX_ORPHAN_SHARE * 100} % are deleted without the operator`;
}
