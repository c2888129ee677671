import sharp from 'sharp';
import { requireBounds } from './probe-image.ts';
import { type ImageBounds, ProbeRefusal, type ProbeResult } from './probe-protocol.ts';

const WHITE = 255;
/** Pixels that are at least half transparent are to be changed. */
const HALF = 128;

/** The transparent area of a picture as white on black. */
export async function drawAlphaMask({ path, bounds }: { path: string; bounds: ImageBounds }): Promise<ProbeResult> {
  const { width, height, hasAlpha } = await requireBounds({ path, bounds });
  const refusal = new ProbeRefusal('The mask has no transparent area.');
  if (!hasAlpha) throw refusal;
  const { data, info } = await sharp(path, { failOn: 'error', limitInputPixels: bounds.maxPixels })
    .autoOrient()
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  let isEmpty = true;
  for (let at = 0; at < data.length; at += 1) {
    const changes = data[at]! < HALF;
    data[at] = changes ? WHITE : 0;
    if (changes) isEmpty = false;
  }
  if (isEmpty) throw refusal;
  // Two colours, so that a mask of maximum size stays within the limit of an answer.
  const picture = await sharp(data, { raw: { width: info.width, height: info.height, channels: 1 } })
    .webp({ lossless: true, effort: 2 })
    .toBuffer();
  return { answer: { readable: true, width, height }, picture };
}
