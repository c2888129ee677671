import { rm } from 'node:fs/promises';
import { withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { deleteOwned } from '../assets/bucket/bucket-ownership.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { applyParkedEvents } from '../payments/apply-payment-event.ts';
import type { Cell } from './cell.ts';
import {
  findFilesOfPair,
  findMove,
  findNetMoved,
  findOpenMove,
  findPair,
  forgetPair,
  insertMove,
  lockPair,
  moveCoins,
  resumePending,
  setMoveState,
  setMoving,
} from './moves.store.ts';
import { snapshotPath } from './snapshot-file.ts';

/** Links of the source are valid for an hour, and point to its files. */
const KEEP_SECONDS = 3_600;

interface EndOptions {
  readonly accountId: string;
  readonly actor: string;
}

/** Ends a move whose rows have not arrived: the accounts work at the source again. */
export async function cancelMove(
  from: Cell,
  to: Cell,
  { accountId, actor, dir }: EndOptions & { dir: string },
): Promise<{ id: string; accounts: readonly string[] }> {
  const [first] = await findPair(from.db, accountId);
  if (first === undefined) throw new Problem('not_found', 'There is no such account.');
  const move = await findOpenMove(from.db, first.ownerId);
  if (move === null) throw new Problem('not_found', 'The account is not moving.');
  if (move.cell !== to.name) throw new Problem('invalid_params', `The account is moving to cell ${move.cell}.`);
  // First at the target, under its primary key: from here on the rows cannot arrive.
  await withTx(to.db, async (tx) => {
    const known = await findMove(tx, move.id);
    if (known?.state === 'arrived') {
      throw new Problem('invalid_params', `The account is in cell ${to.name}. Continue the move, then move it back.`);
    }
    if (known === null) {
      await insertMove(tx, { ...move, direction: 'in', cell: from.name, state: 'canceled', checksum: null });
    }
  });
  const accounts = await withTx(from.db, async (tx) => {
    const accounts = (await lockPair(tx, move.pairId)).map(({ id }) => id);
    await setMoving(tx, { pairId: move.pairId, movingTo: null, movedTo: null });
    for (const id of accounts) {
      await moveCoins(tx, {
        accountId: id,
        coins: move.state === 'departed' ? await findNetMoved(tx, id) : 0,
        actor,
        reason: `Move to cell ${to.name} canceled`,
        reference: `move/${move.id}/canceled`,
      });
      await recordAudit(tx, { actor, action: 'account.move_canceled', accountId: id, detail: { moveId: move.id } });
    }
    if (move.state === 'departed') await resumePending(tx, accounts);
    for (const accountId of accounts) await applyParkedEvents(tx, { accountId, rules: from.paymentRules });
    if (!(await setMoveState(tx, { id: move.id, from: move.state, to: 'canceled' }))) {
      throw new Problem('unavailable', 'Another command continues this move.');
    }
    return accounts;
  });
  await rm(snapshotPath(dir, move.id), { force: true });
  return { id: move.id, accounts };
}

/**
 * Deletes what a moved pair left at the source: rows first, then their files. A crash between the two leaves orphans, which the sweep
 * deletes. The ledger, the checkouts and the audit log stay.
 */
export async function forgetMoved(
  cell: Pick<Cell, 'db' | 'store'>,
  { accountId, actor, now }: EndOptions & { now: boolean },
): Promise<{ id: string; generations: number; files: number }> {
  const pair = await findPair(cell.db, accountId);
  const accountIds = pair.map(({ id }) => id);
  const move = pair[0] === undefined ? null : await findOpenMove(cell.db, pair[0].ownerId);
  if (move?.state !== 'switched')
    throw new Problem('not_found', 'The account has not moved, or was forgotten already.');
  if (!now && move.age < KEEP_SECONDS) {
    throw new Problem('unavailable', 'Links to the files work for an hour after the move. Repeat then, or add --now.');
  }
  const files = await findFilesOfPair(cell.db, accountIds);
  const generations = await withTx(cell.db, async (tx) => {
    const count = await forgetPair(tx, move.pairId);
    await setMoveState(tx, { id: move.id, from: 'switched', to: 'forgotten' });
    for (const id of accountIds) {
      await recordAudit(tx, { actor, action: 'account.move_forgotten', accountId: id, detail: { moveId: move.id } });
    }
    return count;
  });
  await deleteOwned(
    cell,
    files.flatMap((file) => [file.objectKey, ...Object.values(file.variants).map(({ key }) => key)]),
  );
  return { id: move.id, generations, files: files.length };
}
