import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { Problem } from '../../platform/problem.ts';
import { describeBucket } from '../assets/bucket/bucket-ownership.ts';
import { countNewUsage } from '../ledger/usage/count-usage.ts';
import { verifyBooks } from '../ledger/verify-books.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { applyParkedEvents, settleArrivedCheckouts } from '../payments/apply-payment-event.ts';
import { carryParkedEvents } from '../payments/parked-events.ts';
import { arrive } from './arrive.ts';
import type { Cell } from './cell.ts';
import { reloadEdge, writeDirectory } from './cell-directory.ts';
import { copyFiles, type KeyPrefixes } from './copy-files.ts';
import { depart } from './depart.ts';
import {
  countLive,
  findDirectoryKeys,
  findFilesOfPair,
  findMove,
  findOpenMove,
  findPair,
  hasLeftovers,
  insertMove,
  lockPair,
  type MoveRow,
  type PairAccount,
  readSchemaVersion,
  setMoveState,
  setMoving,
} from './moves.store.ts';
import { snapshotPath } from './snapshot-file.ts';

interface MoveOptions {
  /** One account of the pair. */
  readonly accountId: string;
  readonly actor: string;
  /** Where the file of the rows is while the move runs. */
  readonly dir: string;
  /** The directory of the edge; null if the operator writes it. */
  readonly directory: string | null;
  /** The process id of nginx, to reload it. */
  readonly nginxPidFile: string | null;
  /** How long accepted generations may take to end. */
  readonly waitMs: number;
  /** Called at each step. */
  readonly onStep?: (step: string) => void;
}

export interface Moved {
  readonly id: string;
  readonly pairId: string;
  readonly accounts: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly files: number;
  /** The balances of both accounts. */
  readonly coins: number;
}

const POLL_MS = 500;

/** Moves a pair of accounts. Every step can be repeated: another call with the same cells continues where this one stopped. */
export async function moveAccount(from: Cell, to: Cell, options: MoveOptions): Promise<Moved> {
  const tell = options.onStep ?? (() => {});
  const pair = await requirePair(from.db, options.accountId);
  const [{ ownerId: pairId }] = pair;
  const accountIds = pair.map(({ id }) => id);
  let move = await openMove(from, to, { pairId, accountId: options.accountId, actor: options.actor });
  const file = snapshotPath(options.dir, move.id);
  const prefixes: KeyPrefixes = {
    from: (await describeBucket(from)).map(({ prefix }) => prefix),
    to: to.keyPrefix,
  };
  const copyAll = async (mayBeGone: boolean) => {
    const files = await findFilesOfPair(from.db, accountIds);
    return copyFiles({ from: from.store, to: to.store }, prefixes, { files, mayBeGone });
  };

  if (move.state === 'frozen') {
    tell('copy files');
    await copyAll(true);
    tell('wait for generations');
    await waitUntilIdle(from.db, accountIds, options.waitMs);
    for (const accountId of accountIds) while (!(await countNewUsage(from, accountId)));
    tell('depart');
    await depart(from, to, { move, file, prefixes, actor: options.actor });
    move = (await findMove(from.db, move.id)) as MoveRow;
  }
  let files = 0;
  if (move.state === 'departed') {
    tell('copy the rest of the files');
    files = await copyAll(false);
    tell('arrive');
    await arrive(from, to, { move, file, actor: options.actor });
    await settlePayments(to, { pairId, moveId: move.id });
    tell('verify');
    await requireBooks(from);
    await requireBooks(to);
    await withTx(from.db, async (tx) => {
      // Waits for events that are being parked, so that the next step finds them.
      await lockPair(tx, pairId);
      await setMoveState(tx, { id: move.id, from: 'departed', to: 'switched' });
    });
  }
  tell('carry payment events');
  await carryParkedEvents(from, to, accountIds);
  tell('switch');
  await switchEdge(to, { ...options, pairId, accountIds });
  await rm(file, { force: true });
  const arrived = await requirePair(to.db, options.accountId);
  const coins = arrived.reduce((sum, { available }) => sum + available, 0);
  return { id: move.id, pairId, accounts: accountIds, from: from.name, to: to.name, files, coins };
}

/** For events that reach the cell that an account has left after its move is over. */
export async function carryPayments(
  from: Cell,
  to: Cell,
  accountId: string,
): Promise<{ carried: number; left: number }> {
  const pair = await requirePair(from.db, accountId);
  if (pair[0].movedTo !== to.name) throw new Problem('invalid_params', `The account has not moved to cell ${to.name}.`);
  return carryParkedEvents(
    from,
    to,
    pair.map(({ id }) => id),
  );
}

/** Applies events that were parked at the target before the rows arrived, and refunds that an earlier version stored there. */
async function settlePayments(to: Cell, { pairId, moveId }: { pairId: string; moveId: string }): Promise<void> {
  await withTx(to.db, async (tx) => {
    for (const { id: accountId } of await lockPair(tx, pairId)) {
      await applyParkedEvents(tx, { accountId, rules: to.paymentRules });
      await settleArrivedCheckouts(tx, { accountId, reference: `move/${moveId}` });
    }
  });
}

async function requirePair(db: Db, accountId: string): Promise<[PairAccount, ...PairAccount[]]> {
  const [first, ...others] = await findPair(db, accountId);
  if (first === undefined) throw new Problem('not_found', 'There is no such account.');
  return [first, ...others];
}

/** The open move of the pair to this cell, or a new one, which freezes the accounts. */
async function openMove(
  from: Cell,
  to: Cell,
  options: { pairId: string; accountId: string; actor: string },
): Promise<MoveRow> {
  const { pairId, actor } = options;
  if (from.name === to.name) throw new Problem('invalid_params', 'Both cells have the same CELL.');
  const open = await findOpenMove(from.db, pairId);
  if (open !== null) {
    if (open.cell === to.name) return open;
    throw new Problem('invalid_params', `The account is moving to cell ${open.cell}.`);
  }
  if ((await readSchemaVersion(from.db)) !== (await readSchemaVersion(to.db))) {
    throw new Problem('invalid_params', 'The cells have different versions. Migrate both to the same one.');
  }
  const there = await findPair(to.db, options.accountId);
  if (there.some(({ movedTo }) => movedTo === null)) {
    throw new Problem('invalid_params', `Cell ${to.name} has this account already.`);
  }
  const ids = there.map(({ id }) => id);
  if (await hasLeftovers(to.db, ids)) {
    const command = '`account move-forget`';
    throw new Problem('invalid_params', `Cell ${to.name} has rows of an earlier stay. Run ${command} there first.`);
  }
  // A broken book would be found after the departure otherwise, and blamed on the move.
  await requireBooks(from);
  await requireBooks(to);
  const id = newId();
  return withTx(from.db, async (tx) => {
    const accounts = await lockPair(tx, pairId);
    const gone = accounts.find(({ movedTo }) => movedTo !== null);
    if (gone !== undefined) throw new Problem('invalid_params', `The account is in cell ${gone.movedTo}.`);
    await insertMove(tx, { id, pairId, direction: 'out', cell: to.name, state: 'frozen', checksum: null });
    await setMoving(tx, { pairId, movingTo: to.name, movedTo: null });
    for (const { id: accountId } of accounts) {
      await recordAudit(tx, { actor, action: 'account.moving', accountId, detail: { moveId: id, cell: to.name } });
    }
    return (await findMove(tx, id)) as MoveRow;
  });
}

async function waitUntilIdle(db: Db, accountIds: readonly string[], waitMs: number): Promise<void> {
  const endMs = Date.now() + waitMs;
  for (;;) {
    const live = await countLive(db, accountIds);
    if (live === 0) return;
    if (Date.now() > endMs) {
      throw new Problem(
        'unavailable',
        `${live} generations have not ended. The account stays frozen: repeat the command, or use \`account move-cancel\`.`,
      );
    }
    await sleep(POLL_MS);
  }
}

async function requireBooks(cell: Cell): Promise<void> {
  const broken = (await verifyBooks(cell, cell.limits)).filter(({ violations }) => violations > 0);
  if (broken.length === 0) return;
  const names = broken.map(({ id, claim }) => `${id} (${claim})`).join(', ');
  throw new Problem('internal', `The books of cell ${cell.name} are broken: ${names}. See \`verify\`.`);
}

async function switchEdge(
  to: Cell,
  options: Pick<MoveOptions, 'directory' | 'nginxPidFile'> & { pairId: string; accountIds: readonly string[] },
): Promise<void> {
  if (options.directory !== null) {
    const keys = await findDirectoryKeys(to.db, options.accountIds);
    await writeDirectory(options.directory, { pairId: options.pairId, keys, cell: to.name });
  }
  if (options.nginxPidFile !== null) await reloadEdge(options.nginxPidFile);
}
