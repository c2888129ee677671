import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../platform/ids.ts';
import type { ProducedOutput } from '../../../providers/provider.ts';
import { storeMediaFile } from '../../assets/store-media-file.ts';
import type { Services } from '../../services.ts';
import type { OutputAsset } from './runs.store.ts';

const FORMAT_TYPES = {
  obj: 'model/obj',
  fbx: 'application/octet-stream',
  usdz: 'model/vnd.usdz+zip',
  stl: 'model/stl',
} as const;

/** Takes a produced file into our own bucket: probed, with previews. Only then may the generation succeed. */
export async function storeOutput(
  services: Pick<Services, 'store' | 'keyPrefix' | 'media'>,
  output: {
    accountId: string;
    /** Whose bytes it holds: no confined process reads those of two. */
    mediaOwner: string;
    position: number;
    workDir: string;
    produced: ProducedOutput;
    /** Asked before anything is stored; throws to refuse. */
    judge?: (made: { path: string; thumbnailPath: string; kind: string }) => Promise<void>;
    /** Puts the files into the bucket, as often as it takes. */
    persist: <T>(put: () => Promise<T>) => Promise<T>;
  },
): Promise<OutputAsset> {
  const { produced } = output;
  const id = newId();
  const outDir = await mkdtemp(join(output.workDir, 'previews-'));
  const { facts, previews } = await services.media.of(output.mediaOwner).inspectAndPreview({
    path: produced.path,
    purpose: 'output',
    outDir,
  });
  await output.judge?.({ path: produced.path, thumbnailPath: previews.thumbnail.path, kind: facts.kind });
  const file = {
    accountId: output.accountId,
    assetId: id,
    path: produced.path,
    mimeType: facts.mimeType,
    previews,
    extras: [
      ...(produced.downloads ?? []).map(({ format, path }) => ({ name: format, path, mimeType: FORMAT_TYPES[format] })),
      ...(produced.subtitles === undefined
        ? []
        : [
            { name: 'srt', path: produced.subtitles.srtPath, mimeType: 'application/x-subrip' },
            { name: 'vtt', path: produced.subtitles.vttPath, mimeType: 'text/vtt' },
          ]),
    ],
  };
  const stored = await output.persist(() => storeMediaFile(services, file));
  return {
    id,
    position: output.position,
    kind: facts.kind,
    mime_type: facts.mimeType,
    bytes: stored.bytes,
    sha256: stored.sha256.toString('hex'),
    width: facts.width,
    height: facts.height,
    duration_seconds: facts.durationSeconds,
    transparent: facts.transparent ?? null,
    stem: produced.stem ?? null,
    object_key: stored.objectKey,
    variants: stored.variants,
  };
}
