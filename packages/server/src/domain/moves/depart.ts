import { isSealedByKnownKey, seal, unseal } from '../../platform/crypto.ts';
import { withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Cell } from './cell.ts';
import { type KeyPrefixes, moveKey } from './copy-files.ts';
import { countLive, lockPair, type MoveRow, moveCoins, setMoveState, setMoving, stopPending } from './moves.store.ts';
import { type MovingRow, readMovingRows } from './moving-rows.store.ts';
import { writeSnapshot } from './snapshot-file.ts';

interface Departure {
  readonly move: MoveRow;
  readonly file: string;
  readonly prefixes: KeyPrefixes;
  readonly actor: string;
}

/**
 * All rows of the pair go to the file, and their coins to the place `moved`, in one transaction: after it, the file is the account. Its
 * locks keep every writer of the pair out, and nothing is committed before the file is on the disk.
 */
export async function depart(from: Cell, to: Cell, { move, file, prefixes, actor }: Departure): Promise<void> {
  await withTx(from.db, async (tx) => {
    const accounts = await lockPair(tx, move.pairId);
    const accountIds = accounts.map(({ id }) => id);
    // A submit that was under way when the accounts were frozen.
    if ((await countLive(tx, accountIds)) > 0) {
      throw new Problem('unavailable', 'A generation has not ended. Repeat the command.');
    }
    const convert = createConverter(from, to, prefixes);
    const { checksum } = await writeSnapshot(file, convertAll(readMovingRows(tx, move.pairId), convert));
    await stopPending(tx, accountIds);
    for (const account of accounts) {
      await moveCoins(tx, {
        accountId: account.id,
        coins: -account.available,
        actor,
        reason: `Moved to cell ${to.name}`,
        reference: `move/${move.id}/out`,
      });
      await recordAudit(tx, {
        actor,
        action: 'account.departed',
        accountId: account.id,
        detail: { moveId: move.id, cell: to.name, coins: account.available },
      });
    }
    await setMoving(tx, { pairId: move.pairId, movingTo: to.name, movedTo: to.name });
    if (!(await setMoveState(tx, { id: move.id, from: 'frozen', to: 'departed', checksum }))) {
      throw new Problem('unavailable', 'Another command continues this move.');
    }
  });
}

type Convert = (row: MovingRow) => MovingRow;

async function* convertAll(batches: AsyncIterable<readonly MovingRow[]>, convert: Convert) {
  for await (const batch of batches) yield batch.map(convert);
}

/** What differs between the cells: keys of files, and the master key that seals the secrets of endpoints. */
function createConverter(from: Cell, to: Cell, prefixes: KeyPrefixes): Convert {
  return ({ table, row }) => {
    if (table === 'asset') return { table, row: convertAsset(row, prefixes) };
    if (table === 'webhook_endpoint') return { table, row: reseal(row, from, to) };
    return { table, row };
  };
}

function convertAsset(text: string, prefixes: KeyPrefixes): string {
  const row = JSON.parse(text) as { object_key: string; variants: Record<string, { key: string }> };
  const variants = Object.entries(row.variants).map(([name, variant]) => [
    name,
    { ...variant, key: moveKey(prefixes, variant.key) },
  ]);
  return JSON.stringify({
    ...row,
    object_key: moveKey(prefixes, row.object_key),
    variants: Object.fromEntries(variants),
  });
}

function reseal(text: string, from: Cell, to: Cell): string {
  const row = JSON.parse(text) as { id: string; secret_sealed: string; status: string };
  // The secret of a deleted endpoint is never used, and an erased one is empty.
  if (row.status === 'deleted') return JSON.stringify({ ...row, secret_sealed: '' });
  if (!isSealedByKnownKey(from.keys, row.secret_sealed)) {
    throw new Problem(
      'internal',
      `No master key opens the secret of endpoint ${row.id}. Rotate it, then repeat the move.`,
    );
  }
  const plaintext = unseal({ keys: from.keys, sealed: row.secret_sealed, rowId: row.id });
  return JSON.stringify({ ...row, secret_sealed: seal({ keys: to.keys, plaintext, rowId: row.id }) });
}
