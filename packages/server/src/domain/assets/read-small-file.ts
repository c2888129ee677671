import { buffer } from 'node:stream/consumers';
import type { LinkVariant } from '../../platform/signed-link.ts';
import type { Services } from '../services.ts';
import { findServedFile } from './find-served-file.ts';

export interface SmallFile {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** A file in memory; null if it does not exist or is larger than the limit. The caller has checked whose it is. */
export async function readSmallFile(
  services: Pick<Services, 'db' | 'store'>,
  file: { assetId: string; variant: LinkVariant; maxBytes: number; signal: AbortSignal },
): Promise<SmallFile | null> {
  const found = await findServedFile(services, file);
  if (found === null || found.bytes > file.maxBytes) return null;
  const read = await services.store.read({ key: found.key, signal: file.signal });
  return read === null ? null : { bytes: await buffer(read.stream), mimeType: found.mimeType };
}
