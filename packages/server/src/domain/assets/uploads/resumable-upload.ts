import { CHUNK_BYTES, type ResumableUpload } from '@atelier/contract';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { findResumable, type ResumableRow } from './resumable.store.ts';

export function renderResumable(row: ResumableRow): ResumableUpload {
  return {
    id: row.id,
    bytes: row.bytes,
    offset: row.received,
    chunkBytes: CHUNK_BYTES,
    expiresAt: row.expiresAt.toISOString(),
  };
}

export async function requireResumable(
  services: Pick<Services, 'db'>,
  key: { accountId: string; id: string },
): Promise<ResumableRow> {
  const row = await findResumable(services.db, key);
  if (row === null) throw new Problem('not_found', 'There is no such upload.');
  return row;
}

export async function getResumableUpload(
  services: Pick<Services, 'db'>,
  key: { accountId: string; id: string },
): Promise<ResumableUpload> {
  return renderResumable(await requireResumable(services, key));
}
