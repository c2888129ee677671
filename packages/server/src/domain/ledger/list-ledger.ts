import type { LedgerPage, Transfer, TransferKind } from '@atelier/contract/console';
import { Problem } from '../../platform/problem.ts';
import { openToken, signToken } from '../../platform/signed-token.ts';
import type { Services } from '../services.ts';
import { findLedgerRows, type LedgerDbRow } from './ledger.store.ts';

const DEFAULT_PAGE = 50;
const PREFIX = 'l1';

/** Account, the last transfer shown, and the available coins before it. */
type CursorPayload = [accountId: string, before: number, available: number];

/** The transfers of an account, newest first, each with the balance after it. */
export async function listLedger(
  services: Pick<Services, 'db' | 'keys'>,
  accountId: string,
  query: { cursor?: string; limit?: number },
): Promise<LedgerPage> {
  const { keys } = services;
  const limit = query.limit ?? DEFAULT_PAGE;
  const start = query.cursor === undefined ? null : openCursor({ keys, accountId, cursor: query.cursor });
  const found = await findLedgerRows(services.db, { accountId, before: start?.before ?? null, limit: limit + 1 });
  // One statement reads the newest transfers and the balance, so they agree.
  let available = start?.available ?? found[0]?.available ?? 0;
  const items = found.slice(0, limit).map((row) => {
    const transfer = showTransfer(row);
    const availableAfter = available;
    available -= transfer.availableChange;
    return { ...transfer, availableAfter };
  });
  const last = items.at(-1);
  const payload: CursorPayload | null =
    found.length > limit && last !== undefined ? [accountId, last.id, available] : null;
  return {
    items,
    nextCursor: payload === null ? null : signToken({ keys, purpose: 'cursor', prefix: PREFIX, payload }),
  };
}

function openCursor(given: { keys: Services['keys']; accountId: string; cursor: string }) {
  const { keys, accountId, cursor } = given;
  const payload = openToken({ keys, purpose: 'cursor', prefix: PREFIX, token: cursor }) as CursorPayload | null;
  if (payload === null || payload[0] !== accountId) {
    throw new Problem('invalid_params', 'Invalid cursor.', {
      issues: [{ path: 'cursor', message: 'must be the nextCursor of an earlier page' }],
    });
  }
  return { before: payload[1], available: payload[2] };
}

/** A transfer as the account sees it. */
export function showTransfer(row: LedgerDbRow): Transfer {
  const change = (place: string) => (row.credit === place ? row.amount : row.debit === place ? -row.amount : 0);
  return {
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    kind: row.kind as TransferKind,
    availableChange: change('available'),
    heldChange: change('held'),
    generationId: row.generationId,
    modelName: row.modelName,
    projectId: row.projectId,
    reference: row.reference,
  };
}
