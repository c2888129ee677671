import sharp from 'sharp';
import type { ProducedOutput } from '../../provider.ts';
import type { RenderRequest } from '../render-request.ts';
import { drawScene } from './draw-scene.ts';
import { frameSize, PICTURE_LONGEST_PX } from './frame-size.ts';

const COMPRESSION_LEVEL = 2;

/** A picture whose surroundings are transparent. */
export async function renderCutout({ params, caption, seed, basePath }: RenderRequest): Promise<ProducedOutput> {
  const size = frameSize(params.aspect_ratio, { longestPx: PICTURE_LONGEST_PX });
  const path = `${basePath}.png`;
  await sharp(Buffer.from(drawScene({ caption, seed, size, cutout: true })))
    .png({ compressionLevel: COMPRESSION_LEVEL })
    .toFile(path);
  return { path };
}
