import { writeFile } from 'node:fs/promises';
import { required, UPLOAD_BOUNDS } from './inspect-media.ts';
import type { MediaTools } from './media-tools.ts';

/** Writes the transparent area of a picture as white on black, which is how our masks mark the area to change. */
export async function drawAlphaMask(
  tools: MediaTools,
  { path, outPath }: { path: string; outPath: string },
): Promise<void> {
  const { picture } = required(await tools.probe({ request: { task: 'alpha-mask', bounds: UPLOAD_BOUNDS }, path }));
  await writeFile(outPath, picture);
}
