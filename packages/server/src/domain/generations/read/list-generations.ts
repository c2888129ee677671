import type { GenerationPage, ListGenerationsQuery } from '@atelier/contract';
import { canonicalJson, sha256 } from '../../../platform/crypto.ts';
import { Problem } from '../../../platform/problem.ts';
import { openToken, signToken } from '../../../platform/signed-token.ts';
import type { Services } from '../../services.ts';
import { findExactTime, type GenerationRow } from '../generations.store.ts';
import { readServingFacts } from '../run/serving.ts';
import { findGenerations, type ListFilter } from './generation-list.store.ts';
import { renderGenerations } from './render-generation.ts';

const DEFAULT_PAGE = 30;
const PREFIX = 'c1';

/** Account, filters, and the last row shown: a cursor is valid only for the account and filters it was created with. */
type CursorPayload = [accountId: string, filterHash: string, createdAt: string, id: string];

export async function listGenerations(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl' | 'catalog' | 'offers'>,
  accountId: string,
  query: ListGenerationsQuery,
): Promise<GenerationPage> {
  const limit = query.limit ?? DEFAULT_PAGE;
  const filter: ListFilter = {
    status: query.status,
    modality: query.modality,
    workspace: query.workspace,
    modelId: query.modelId,
    // false is the same as omitting it, also for the cursor.
    active: query.active === true ? true : undefined,
  };
  const filterHash = sha256(canonicalJson(filter)).toString('base64url').slice(0, 16);
  const after =
    query.cursor === undefined ? null : openCursor(services, { cursor: query.cursor, accountId, filterHash });
  const found = await findGenerations(services.db, { accountId, filter, limit: limit + 1, after });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const [items, nextCursor] = await Promise.all([
    renderGenerations(services, accountId, rows, readServingFacts(services)),
    found.length > limit && last !== undefined ? makeCursor(services, { accountId, filterHash, last }) : null,
  ]);
  return { items, nextCursor };
}

async function makeCursor(
  services: Pick<Services, 'db' | 'keys'>,
  page: { accountId: string; filterHash: string; last: GenerationRow },
): Promise<string> {
  const at = await findExactTime(services.db, { accountId: page.accountId, id: page.last.id });
  const payload: CursorPayload = [
    page.accountId,
    page.filterHash,
    at ?? page.last.createdAt.toISOString(),
    page.last.id,
  ];
  return signToken({ keys: services.keys, purpose: 'cursor', prefix: PREFIX, payload });
}

function openCursor(
  services: Pick<Services, 'keys'>,
  given: { cursor: string; accountId: string; filterHash: string },
): { createdAt: string; id: string } {
  const payload = openToken({
    keys: services.keys,
    purpose: 'cursor',
    prefix: PREFIX,
    token: given.cursor,
  }) as CursorPayload | null;
  if (payload === null || payload[0] !== given.accountId || payload[1] !== given.filterHash) {
    throw new Problem('invalid_params', 'Invalid cursor.', {
      issues: [{ path: 'cursor', message: 'must be the nextCursor of the same list with the same filters' }],
    });
  }
  return { createdAt: payload[2], id: payload[3] };
}
