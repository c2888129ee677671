import { type Tx, withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Cell } from './cell.ts';
import {
  findMove,
  findNetMoved,
  hasLeftovers,
  insertMove,
  lockPair,
  type MoveRow,
  moveCoins,
  raiseEpoch,
  readEpoch,
  resumePending,
} from './moves.store.ts';
import { importRows, setUsagePositions } from './moving-rows.store.ts';
import { checkSnapshot, readSnapshot } from './snapshot-file.ts';

interface Balance {
  readonly id: string;
  readonly available: number;
}

/** Imports the file of a departure in one transaction. A repeated call changes nothing. */
export async function arrive(
  from: Cell,
  to: Cell,
  { move, file, actor }: { move: MoveRow; file: string; actor: string },
): Promise<void> {
  const known = await findMove(to.db, move.id);
  if (known?.state === 'arrived') return;
  if (known !== null) throw new Problem('invalid_params', 'This move was canceled.');
  const checksum = move.checksum as string;
  await checkSnapshot(file, checksum);
  // On its own, because it waits for the writers of events of all accounts.
  await raiseEpoch(to.db, await readEpoch(from.db));
  await withTx(to.db, async (tx) => {
    const before = await lockPair(tx, move.pairId);
    // As checked before the accounts were frozen.
    if (
      before.some(({ movedTo }) => movedTo === null) ||
      (await hasLeftovers(
        tx,
        before.map(({ id }) => id),
      ))
    ) {
      throw new Problem('invalid_params', `Cell ${to.name} has rows of this account.`);
    }
    await insertMove(tx, { ...move, direction: 'in', cell: from.name, state: 'arrived', checksum });
    const balances: Balance[] = [];
    for await (const { table, rows } of readSnapshot(file)) {
      await importRows(tx, { table, rows, fromCell: from.name, toCell: to.name, pairId: move.pairId });
      if (table !== 'account') continue;
      const accounts = rows.map((row) => JSON.parse(row) as Balance);
      balances.push(...accounts);
      // Before the transfers that follow them, so that the balance after each transfer is what it was.
      for (const { id } of accounts) await bringBack(tx, { accountId: id, moveId: move.id, cell: from.name, actor });
    }
    const accountIds = balances.map(({ id }) => id);
    for (const { id: accountId, available } of balances) {
      await recordAudit(tx, {
        actor,
        action: 'account.arrived',
        accountId,
        detail: { moveId: move.id, cell: from.name, coins: available },
      });
    }
    await setUsagePositions(tx, accountIds);
    await resumePending(tx, accountIds);
    const after = new Map(
      (await lockPair(tx, move.pairId)).map(({ id, available, held }) => [id, { available, held }]),
    );
    for (const { id, available } of balances) {
      const there = after.get(id);
      if (there?.available !== available || there.held !== 0) {
        throw new Problem('internal', `The balance of ${id} would be ${there?.available}, not ${available}.`);
      }
    }
  });
}

/** Reverses the transfer that took the coins of an earlier stay away. */
async function bringBack(
  tx: Tx,
  { accountId, moveId, cell, actor }: { accountId: string; moveId: string; cell: string; actor: string },
): Promise<void> {
  await moveCoins(tx, {
    accountId,
    coins: await findNetMoved(tx, accountId),
    actor,
    reason: `Moved from cell ${cell}`,
    reference: `move/${moveId}/in`,
  });
}
