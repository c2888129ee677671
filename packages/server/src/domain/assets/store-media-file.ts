import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
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

/** Puts a file, its previews and its other forms into the bucket, under one prefix that names account and asset. */
export async function storeMediaFile(
  services: Pick<Services, 'store'>,
  file: {
    readonly accountId: string;
    readonly assetId: string;
    readonly path: string;
    readonly mimeType: string;
    readonly previews: Previews;
    readonly extras?: readonly ExtraFile[];
  },
): Promise<StoredFile> {
  const prefix = `a/${file.accountId}/${file.assetId}`;
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

async function hashFile(path: string): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  });
  return { bytes, sha256: hash.digest() };
}
