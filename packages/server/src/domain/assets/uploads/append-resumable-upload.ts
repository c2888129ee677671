import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MIN_CHUNK_BYTES, type ResumableUpload } from '@atelier/contract';
import { MediaRefused } from '../../../media/media-facts.ts';
import { sniffType } from '../../../media/sniff-type.ts';
import { requireUploadSize, type UploadKind } from '../../../media/upload-limits.ts';
import { withStatementTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { invalidParams, Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { appendPart, type ResumableRow } from './resumable.store.ts';
import { renderResumable, requireResumable } from './resumable-upload.ts';
import { withSpool } from './with-spool.ts';

export interface NewPiece {
  readonly accountId: string;
  readonly id: string;
  readonly offset: number;
  readonly bytes: number;
  readonly piece: Readable;
}

/** Stores the next chunk. It counts once it is complete and in the bucket, so that any process can continue there. */
export async function appendResumableUpload(
  services: Pick<Services, 'db' | 'store' | 'spoolDir' | 'keyPrefix'>,
  given: NewPiece,
): Promise<ResumableUpload> {
  const { accountId, id, offset, bytes } = given;
  const row = await requireResumable(services, given);
  requirePlace(row, given);
  return withSpool(services, accountId, async (dir) => {
    const path = join(dir, 'piece');
    await pipeline(given.piece, createWriteStream(path));
    if (offset === 0) await judgeBeginning(path, row.bytes);
    // A concurrent chunk for the same offset has a different key, so the recorded one is never overwritten.
    const key = `${services.keyPrefix}u/${accountId}/${id}/${String(offset).padStart(10, '0')}-${newId()}`;
    await services.store.putFile({ key, path, contentType: 'application/octet-stream' });
    const appended = await withStatementTx(services.db, (tx) => appendPart(tx, { accountId, id, offset, bytes, key }));
    if (appended !== null) return renderResumable(appended);
    await services.store.deleteMany([key]);
    const now = await requireResumable(services, given);
    throw misplaced(now.received);
  });
}

function requirePlace(row: ResumableRow, { offset, bytes }: NewPiece): void {
  if (row.assetId !== null || offset !== row.received) throw misplaced(row.received);
  const left = row.bytes - offset;
  if (bytes > left) throw refuse('Content-Length', `must be at most ${left}, the number of missing bytes`);
  if (bytes < left && bytes < MIN_CHUNK_BYTES) {
    throw refuse('Content-Length', `must be at least ${MIN_CHUNK_BYTES}, except for the last chunk`);
  }
}

/** The first bytes determine the type, so a file that completion would refuse is refused here. */
async function judgeBeginning(path: string, bytes: number): Promise<void> {
  try {
    const type = await sniffType({ path, purpose: 'upload' });
    requireUploadSize(type.kind as UploadKind, bytes);
  } catch (error) {
    if (error instanceof MediaRefused) throw new Problem(error.code, error.message);
    throw error;
  }
}

function misplaced(received: number): Problem {
  return refuse('offset', `must be ${received}, the number of bytes received`);
}

function refuse(path: string, message: string): Problem {
  return invalidParams('Invalid chunk', [{ path, message }]);
}
