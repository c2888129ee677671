import { isDeepStrictEqual } from 'node:util';
import { withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import type { ObjectStore } from '../../../platform/object-store/object-store.ts';
import { Problem } from '../../../platform/problem.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import type { Services } from '../../services.ts';
import {
  beginRenewal,
  claimPrefix,
  endRenewal,
  findPrefixes,
  openPrefix,
  type PrefixRow,
  saveMarked,
  saveRefusal,
} from './bucket.store.ts';

/** The marker object of a prefix; it contains the owner id that `bucket_prefix` must also contain. */
const MARKER = 'atelier-owner';
const MARKER_TYPE = 'text/plain';
const MAX_MARKER_BYTES = 64;
const MAX_READS = 8;

const REFUSALS = {
  copied: 'the database is a restored copy or failed over since the bucket was claimed',
  missing: 'the marker of the owner is not in the bucket',
  foreign: 'the bucket was claimed by another installation',
} as const;

export interface PrefixState {
  readonly prefix: string;
  /** Null if this installation may delete. */
  readonly refusal: string | null;
}

type BucketServices = Pick<Services, 'db' | 'store'>;

/** The prefix under which this database writes the files of the cell. A restored copy gets a separate one. */
export function openKeyPrefix(services: Pick<Services, 'db'>, cell: string): Promise<string> {
  return openPrefix(services.db, cell);
}

/**
 * Checks each prefix now: this database claimed it, and the marker in the bucket matches. Otherwise two installations, or
 * an installation and its restored copy, would treat each other's files as orphans.
 */
export async function judgeOwnership(services: BucketServices): Promise<PrefixState[]> {
  const judged = await judgeRows(services);
  for (const { row, refusal } of judged) if (refusal === null && !row.marked) await mark(services, row);
  return judged.map(toState);
}

/** The same check, read-only. */
export async function inspectOwnership(services: BucketServices): Promise<PrefixState[]> {
  return (await judgeRows(services)).map(toState);
}

interface JudgedRow {
  readonly row: PrefixRow;
  readonly refusal: string | null;
}

const toState = ({ row, refusal }: JudgedRow): PrefixState => ({ prefix: row.prefix, refusal });

/**
 * A concurrent sweep may renew the marker between the two reads. It changes the row before the marker, so a foreign marker
 * counts only when the row is still the same after it was read.
 */
async function judgeRows({ db, store }: BucketServices): Promise<JudgedRow[]> {
  let rows = await findPrefixes(db);
  for (let reads = 1; ; reads += 1) {
    const judged = await Promise.all(rows.map(async (row) => ({ row, refusal: await judge(store, row) })));
    if (judged.every(({ refusal }) => refusal !== REFUSALS.foreign)) return judged;
    const readAgain = await findPrefixes(db);
    if (reads === MAX_READS || isDeepStrictEqual(readAgain, rows)) return judged;
    rows = readAgain;
  }
}

/**
 * Changes the markers of owned prefixes. A copy of the database that is otherwise indistinguishable from the original, such
 * as a disk snapshot, then holds outdated markers. The next renewal completes an interrupted one.
 */
export async function renewOwnership(services: BucketServices): Promise<void> {
  for (const { row, refusal } of await judgeRows(services)) {
    if (refusal !== null || !row.marked) continue;
    const nextOwner = row.nextOwner ?? newId();
    if (row.nextOwner === null && !(await beginRenewal(services.db, { ...row, nextOwner }))) continue;
    await putMarker(services.store, { prefix: row.prefix, owner: nextOwner });
    await endRenewal(services.db, { prefix: row.prefix, nextOwner });
  }
}

async function judge(store: ObjectStore, row: PrefixRow): Promise<string | null> {
  if (!row.claimed) return REFUSALS.copied;
  const found = await readMarker(store, row.prefix);
  if (found !== null && found !== row.owner && found !== row.nextOwner) return REFUSALS.foreign;
  return found === null && row.marked ? REFUSALS.missing : null;
}

/** Written by the first process that deletes under a new prefix. */
async function mark(services: BucketServices, row: PrefixRow): Promise<void> {
  await putMarker(services.store, row);
  await saveMarked(services.db, row);
}

/** Prefixes of the keys that may be deleted. */
export function deletableKeys(states: readonly PrefixState[]): string[] {
  return states
    .filter((state) => state.refusal === null)
    .flatMap(({ prefix }) => (prefix === '' ? ['a/', 'u/'] : [prefix]));
}

/** Deletes the objects that this installation owns, checked immediately before. The others are left to the sweep of their owner. */
export async function deleteOwned(services: BucketServices, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const own = deletableKeys(await judgeOwnership(services));
  await services.store.deleteMany(keys.filter((key) => own.some((start) => key.startsWith(start))));
}

/** For operations that make no sense if files would remain, such as the erasure of an account. */
export async function requireOwnership(services: BucketServices): Promise<void> {
  const refused = (await judgeOwnership(services)).find((state) => state.refusal !== null);
  if (refused === undefined) return;
  throw new Problem('unavailable', `Files cannot be deleted: ${refused.refusal}. See \`bucket show\`.`);
}

/** The state for the operator, as of the last sweep; a copied database is reported even before its first sweep. */
export async function describeBucket(services: Pick<Services, 'db'>): Promise<PrefixState[]> {
  const rows = await findPrefixes(services.db);
  return rows.map((row) => ({ prefix: row.prefix, refusal: row.claimed ? row.refusal : REFUSALS.copied }));
}

/** Records why nothing is deleted, where every process and the operator can read it. */
export async function recordRefusals(services: BucketServices, states: readonly PrefixState[]): Promise<void> {
  for (const { prefix, refusal } of states) await saveRefusal(services.db, { prefix, reason: refusal });
}

/** Takes over the deletion of every known prefix from its owner. The marker is written first, so a crash leaves no owner. */
export async function claimBucket(services: BucketServices, actor: string): Promise<PrefixState[]> {
  for (const { prefix } of await findPrefixes(services.db)) {
    const owner = newId();
    await putMarker(services.store, { prefix, owner });
    await withTx(services.db, async (tx) => {
      await claimPrefix(tx, { prefix, owner });
      await recordAudit(tx, { actor, action: 'bucket.claimed', accountId: null, detail: { prefix } });
    });
  }
  return judgeOwnership(services);
}

async function putMarker(store: ObjectStore, { prefix, owner }: Pick<PrefixRow, 'prefix' | 'owner'>): Promise<void> {
  await store.putBytes({ key: `${prefix}${MARKER}`, bytes: Buffer.from(owner), contentType: MARKER_TYPE });
}

async function readMarker(store: ObjectStore, prefix: string): Promise<string | null> {
  const found = await store.read({ key: `${prefix}${MARKER}` });
  if (found === null) return null;
  let text = '';
  for await (const chunk of found.stream) {
    if (text.length < MAX_MARKER_BYTES) text += (chunk as Buffer).toString('latin1');
  }
  return text.slice(0, MAX_MARKER_BYTES);
}
