import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { ProducedOutput } from '../../provider.ts';
import type { RenderRequest } from '../render-request.ts';
import { drawScene } from './draw-scene.ts';
import { frameSize, PICTURE_LONGEST_PX } from './frame-size.ts';

/** Flat colours compress well already: more effort costs time and saves little. */
const COMPRESSION_LEVEL = 2;

export async function renderPicture({ params, caption, seed, basePath }: RenderRequest): Promise<ProducedOutput> {
  const size = frameSize(params.aspect_ratio, { longestPx: PICTURE_LONGEST_PX });
  const path = `${basePath}.png`;
  await sharp(Buffer.from(drawScene({ caption, seed, size })))
    .removeAlpha()
    .png({ compressionLevel: COMPRESSION_LEVEL })
    .toFile(path);
  return { path };
}

/** A picture with a transparent background. */
export async function renderCutout({ params, caption, seed, basePath }: RenderRequest): Promise<ProducedOutput> {
  const size = frameSize(params.aspect_ratio, { longestPx: PICTURE_LONGEST_PX });
  const path = `${basePath}.png`;
  await sharp(Buffer.from(drawScene({ caption, seed, size, cutout: true })))
    .png({ compressionLevel: COMPRESSION_LEVEL })
    .toFile(path);
  return { path };
}

/** Lets programs recognize the file by its first bytes. */
const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

export async function renderVector({ params, caption, seed, basePath }: RenderRequest): Promise<ProducedOutput> {
  const size = frameSize(params.aspect_ratio, { longestPx: PICTURE_LONGEST_PX });
  const path = `${basePath}.svg`;
  await writeFile(path, `${XML_DECLARATION}\n${drawScene({ caption, seed, size })}\n`);
  return { path };
}
