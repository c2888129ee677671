import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Asset } from '@atelier/contract';
import { MediaRefused } from '../../../media/media-facts.ts';
import { faultPoint } from '../../../platform/fault-point.ts';
import { newId } from '../../../platform/ids.ts';
import { Problem } from '../../../platform/problem.ts';
import { isDiskFull, spoolFull } from '../../../platform/spool.ts';
import type { Services } from '../../services.ts';
import { insertUpload } from '../assets.store.ts';
import { renderAsset } from '../render-asset.ts';
import { storeMediaFile } from '../store-media-file.ts';
import { spoolUpload } from './spool-upload.ts';
import { requireStorageRoom, withStorageRoom } from './storage-quota.ts';
import { withSpool } from './with-spool.ts';

export type UploadServices = Pick<
  Services,
  'db' | 'store' | 'keyPrefix' | 'media' | 'keys' | 'clock' | 'cdnUrl' | 'limits' | 'spoolDir' | 'telemetry'
>;

export interface NewFile {
  readonly accountId: string;
  readonly file: Readable;
  /** A lower bound of the announced size; 0 if unknown. */
  readonly minBytes: number;
  /** Reads the rest of the request that carries the file. Throws if it is malformed. */
  readonly received?: () => Promise<void>;
  /** The file marks an area by transparency, and is stored as a mask: white there, black elsewhere. */
  readonly isAlphaMask?: boolean;
  /** Writes the row; null if the account may not have it. */
  readonly insert?: typeof insertUpload;
}

/**
 * Accepts a customer's file: spooled, measured in a confined process, stripped of metadata, stored with previews. The row
 * is written last, so a row never exists without its object; an object without a row is swept.
 */
export async function createUpload(services: UploadServices, upload: NewFile): Promise<Asset> {
  await requireStorageRoom(services, { accountId: upload.accountId, bytes: upload.minBytes });
  return withSpool(services, upload.accountId, async (dir) => {
    try {
      const path = join(dir, 'raw');
      await spoolUpload({ source: upload.file, path, minBytes: upload.minBytes });
      await upload.received?.();
      await faultPoint('upload.after-spool');
      const asset = await acceptUpload(services, {
        accountId: upload.accountId,
        path: upload.isAlphaMask === true ? await toMask(services, { accountId: upload.accountId, path }) : path,
        dir,
        insert: upload.insert ?? insertUpload,
      });
      services.telemetry.uploads.inc({ outcome: 'accepted' });
      return asset;
    } catch (error) {
      services.telemetry.uploads.inc({ outcome: error instanceof MediaRefused ? error.code : 'failed' });
      // A program that cannot write its result reports the file as invalid.
      if (await isDiskFull(services.spoolDir)) throw spoolFull(error);
      if (error instanceof MediaRefused) throw new Problem(error.code, error.message);
      throw error;
    }
  });
}

async function toMask(
  services: Pick<Services, 'media'>,
  { accountId, path }: { accountId: string; path: string },
): Promise<string> {
  const outPath = `${path}-mask`;
  await services.media.of(accountId).drawAlphaMask({ path, outPath });
  return outPath;
}

async function acceptUpload(
  services: UploadServices,
  upload: { accountId: string; path: string; dir: string; insert: typeof insertUpload },
): Promise<Asset> {
  const clean = join(upload.dir, 'clean');
  const { facts, previews } = await services.media.of(upload.accountId).prepareUpload({
    path: upload.path,
    outDir: upload.dir,
    cleanPath: clean,
  });
  await faultPoint('upload.after-probe');
  const id = newId();
  const stored = await storeMediaFile(services, {
    accountId: upload.accountId,
    assetId: id,
    path: clean,
    mimeType: facts.mimeType,
    previews,
  });
  await faultPoint('upload.after-put-before-row');
  const room = { accountId: upload.accountId, bytes: stored.bytes };
  const row = await withStorageRoom(services, room, (tx) =>
    upload.insert(tx, {
      id,
      accountId: upload.accountId,
      kind: facts.kind,
      mimeType: facts.mimeType,
      bytes: stored.bytes,
      sha256: stored.sha256,
      width: facts.width,
      height: facts.height,
      durationSeconds: facts.durationSeconds,
      transparent: facts.transparent ?? null,
      objectKey: stored.objectKey,
      variants: stored.variants,
      retentionDays: services.limits.uploadRetentionDays,
    }),
  );
  if (row === null) throw new Problem('account_locked', 'This account is locked.');
  await faultPoint('upload.after-row');
  return renderAsset(services, row);
}
