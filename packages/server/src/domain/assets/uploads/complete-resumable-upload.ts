import { Readable } from 'node:stream';
import type { Asset } from '@atelier/contract';
import { errorFields } from '../../../platform/log.ts';
import { type ObjectStore, ObjectStoreUnavailable } from '../../../platform/object-store/object-store.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { deleteOwned } from '../bucket/bucket-ownership.ts';
import { getAsset } from '../get-asset.ts';
import { createUpload, type UploadServices } from './create-upload.ts';
import { insertCompleted } from './resumable.store.ts';
import { requireResumable } from './resumable-upload.ts';

/** Completes the upload: joins its chunks and handles them like a plain upload. A repeated call returns the same asset. */
export async function completeResumableUpload(
  services: UploadServices & Pick<Services, 'log'>,
  key: { accountId: string; id: string },
): Promise<Asset> {
  const { accountId, id } = key;
  const row = await requireResumable(services, key);
  if (row.assetId !== null) return getAsset(services, { accountId, id: row.assetId });
  if (row.received < row.bytes) {
    throw new Problem('invalid_params', `Only ${row.received} of ${row.bytes} bytes were received.`, {
      issues: [{ path: 'offset', message: `is ${row.received}, must be ${row.bytes}` }],
    });
  }
  let asset: Asset;
  try {
    asset = await createUpload(services, {
      accountId,
      file: Readable.from(joinParts(services.store, row.parts), { objectMode: false }),
      minBytes: row.bytes,
      insert: (tx, upload) => insertCompleted(tx, upload, id),
    });
  } catch (error) {
    // A concurrent completion was faster: return its asset.
    const { assetId } = await requireResumable(services, key);
    if (assetId !== null) return getAsset(services, { accountId, id: assetId });
    throw error;
  }
  await deleteOwned(services, row.parts).catch((error: unknown) =>
    services.log.warn('deleting upload parts failed; the sweep will delete them', errorFields(error)),
  );
  return asset;
}

async function* joinParts(store: Pick<ObjectStore, 'read'>, keys: readonly string[]): AsyncGenerator<Buffer> {
  for (const key of keys) {
    const found = await store.read({ key });
    if (found === null) throw new ObjectStoreUnavailable('a part of the upload is missing');
    yield* found.stream;
  }
}
