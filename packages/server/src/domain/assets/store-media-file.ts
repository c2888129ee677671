import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import type { Previews } from '../../media/make-previews.ts';
import type { Services } from '../services.ts';
import type { StoredVariants } from './assets.store.ts';

export interface StoredFile {
  readonly objectKey: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly variants: StoredVariants;
}

export interface ExtraFile {
  readonly name: string;
  readonly path: string;
  readonly mimeType: string;
}

const HASH_BUFFER_BYTES = 1024 * 1024;

/** Stores a file, its previews and its other variants in the bucket, under one prefix that names account and asset. */
export async function storeMediaFile(
  services: Pick<Services, 'store' | 'keyPrefix'>,
  file: {
    readonly accountId: string;
    readonly assetId: string;
    readonly path: string;
    readonly mimeType: string;
    readonly previews: Previews;
    readonly extras?: readonly ExtraFile[];
  },
): Promise<StoredFile> {
  const prefix = `${services.keyPrefix}a/${file.accountId}/${file.assetId}`;
  const objectKey = `${prefix}/file`;
  const { thumbnail, poster, waveform } = file.previews;
  const side: ExtraFile[] = [
    { name: 'thumbnail', ...thumbnail },
    ...(poster === undefined ? [] : [{ name: 'poster', ...poster }]),
    ...(waveform === undefined ? [] : [{ name: 'waveform', ...waveform }]),
    ...(file.extras ?? []),
  ];
  const [hashed, ...sizes] = await Promise.all([
    hashFile(file.path),
    ...side.map(async (each) => (await stat(each.path)).size),
    services.store.putFile({ key: objectKey, path: file.path, contentType: file.mimeType }),
    ...side.map((each) =>
      services.store.putFile({ key: `${prefix}/${each.name}`, path: each.path, contentType: each.mimeType }),
    ),
  ]);
  const variants = Object.fromEntries(
    side.map((each, n) => [
      each.name,
      { key: `${prefix}/${each.name}`, bytes: sizes[n] as number, mimeType: each.mimeType },
    ]),
  );
  return { objectKey, ...hashed, variants };
}

/** One buffer for the whole file: a stream would allocate as much garbage as the file is large. */
async function hashFile(path: string): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(HASH_BUFFER_BYTES);
  const file = await open(path);
  try {
    for (let bytes = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return { bytes, sha256: hash.digest() };
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}
