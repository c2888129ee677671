import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { findAvailable, findByReference, insertTransfer, lockAccountRow } from './ledger.store.ts';

export interface CoinMovement {
  readonly accountId: string;
  readonly coins: number;
  /** Who decided it, and why: both are stored permanently with the row. */
  readonly actor: string;
  readonly reason: string;
  /** Identifies this transfer, so that a repeated request moves nothing. */
  readonly reference?: string;
}

export interface MovedCoins {
  readonly transferId: number;
  /** The balance afterwards. */
  readonly available: number;
  /** True if the reference was known: nothing moved. */
  readonly repeated: boolean;
}

interface Direction {
  readonly kind: 'grant' | 'adjust';
  readonly debit: string;
  readonly credit: string;
}

/** References of purchases and of moves between cells, which the service writes itself. */
const RESERVED_REFERENCE = /^(checkout|move)\//;

/** A reference that an operator chose. With one of the service, a payment that arrives later would find its coins granted. */
export function requireOwnReference(reference: string | undefined): void {
  const [, prefix] = RESERVED_REFERENCE.exec(reference ?? '') ?? [];
  if (prefix === undefined) return;
  throw new Problem('invalid_params', `A reference that begins with ${prefix}/ is reserved. Choose another one.`);
}

/** Moves coins between an account and the system, at most once per reference. */
export async function moveOnce(tx: Tx, movement: CoinMovement, direction: Direction): Promise<MovedCoins> {
  const { accountId, coins, actor, reason, reference } = movement;
  const amount = Math.abs(coins);
  if (!(await lockAccountRow(tx, accountId))) throw new Problem('not_found', 'There is no such account.');
  const known = reference === undefined ? null : await findByReference(tx, { accountId, reference });
  if (known !== null) {
    const { kind, debit, credit } = direction;
    if (known.kind !== kind || known.debit !== debit || known.credit !== credit || known.amount !== amount) {
      throw new Problem(
        'idempotency_conflict',
        `The reference ${reference} belongs to another movement: ${known.kind} ${known.amount}.`,
      );
    }
    return { transferId: known.id, available: await findAvailable(tx, accountId), repeated: true };
  }
  const transferId = await insertTransfer(tx, {
    accountId,
    ...direction,
    amount,
    actor,
    reason,
    reference: reference ?? null,
  });
  await recordAudit(tx, {
    actor,
    action: direction.kind === 'grant' ? 'coins.granted' : 'coins.adjusted',
    accountId,
    detail: { transferId, coins, reason, ...(reference === undefined ? {} : { reference }) },
  });
  return { transferId, available: await findAvailable(tx, accountId), repeated: false };
}
