import { writeFile } from 'node:fs/promises';
import type { ProducedOutput } from '../../provider.ts';
import type { RenderRequest } from '../render-request.ts';
import { drawScene } from './draw-scene.ts';
import { frameSize, PICTURE_LONGEST_PX } from './frame-size.ts';

/** Readers that go by the first bytes know the file by it. */
const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

export async function renderVector({ params, caption, seed, basePath }: RenderRequest): Promise<ProducedOutput> {
  const size = frameSize(params.aspect_ratio, { longestPx: PICTURE_LONGEST_PX });
  const path = `${basePath}.svg`;
  await writeFile(path, `${XML_DECLARATION}\n${drawScene({ caption, seed, size })}\n`);
  return { path };
}
