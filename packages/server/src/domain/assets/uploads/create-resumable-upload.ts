import { MAX_UPLOAD_BYTES, type ResumableUpload, type UploadType } from '@atelier/contract';
import { UPLOAD_TYPES } from '../../../media/sniff-type.ts';
import { UPLOAD_LIMITS, type UploadKind } from '../../../media/upload-limits.ts';
import { withStatementTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { insertResumable } from './resumable.store.ts';
import { renderResumable } from './resumable-upload.ts';
import { requireStorageRoom } from './storage-quota.ts';

const LIFE_HOURS = 24;
const MAX_OPEN = 20;
const RETRY_AFTER_SECONDS = 60;

export async function createResumableUpload(
  services: Pick<Services, 'db' | 'limits'>,
  upload: { accountId: string; bytes: number; mimeType?: UploadType },
): Promise<ResumableUpload> {
  const { accountId, bytes, mimeType } = upload;
  const most = mimeType === undefined ? MAX_UPLOAD_BYTES : UPLOAD_LIMITS[UPLOAD_TYPES[mimeType] as UploadKind].maxBytes;
  if (bytes > most) throw new Problem('upload_too_large', `The file is too large: at most ${most} bytes are allowed.`);
  await requireStorageRoom(services, { accountId, bytes });
  const row = await withStatementTx(services.db, (tx) =>
    insertResumable(tx, { id: newId(), accountId, bytes, lifeHours: LIFE_HOURS, maxOpen: MAX_OPEN }),
  );
  if (row === null) {
    throw new Problem('rate_limited', `At most ${MAX_OPEN} open resumable uploads are allowed per account.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return renderResumable(row);
}
