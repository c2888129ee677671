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

/** Makes an upload of the pieces, by the same way that a plain upload goes. A repetition answers the same asset. */
export async function completeResumableUpload(
  services: UploadServices & Pick<Services, 'log'>,
  key: { accountId: string; id: string },
): Promise<Asset> {
  const { accountId, id } = key;
  const row = await requireResumable(services, key);
  if (row.assetId !== null) return getAsset(services, { accountId, id: row.assetId });
  if (row.received < row.bytes) {
    throw new Problem('invalid_params', `Only ${row.received} of ${row.bytes} bytes have arrived.`, {
      issues: [{ path: 'offset', message: `is ${row.received}, the file has ${row.bytes}` }],
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
    // Another completion was quicker: its asset is the answer.
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
    if (found === null) throw new ObjectStoreUnavailable('a piece of the upload is not there');
    yield* found.stream;
  }
}
