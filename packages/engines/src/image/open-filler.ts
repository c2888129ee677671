import { join } from 'node:path';
import sharp from 'sharp';
import type { EngineKit } from '../engine.ts';
import { openSession } from '../open-session.ts';
import type { Picture } from './picture.ts';
import { resizePlane } from './planes.ts';

const KEEP = 255;
const THRESHOLD = 128;
/** The model works on 512 pixels; for much larger images the graph around it only needs more memory. */
const MAX_SIDE = 1536;

/** Inpaints the masked area (255 = change) and leaves every other pixel unchanged. */
export type Filler = (picture: Picture & { readonly mask: Buffer }) => Promise<Buffer>;

/** MI-GAN with cropping, scaling and blending in the graph: the output has the size of the input. */
export async function openFiller(options: { kit: Pick<EngineKit, 'weights' | 'threads'> }): Promise<Filler> {
  const { kit } = options;
  const { Tensor } = await import('onnxruntime-node');
  const session = await openSession({
    path: join(kit.weights('migan'), 'migan_pipeline_v2.onnx'),
    threads: kit.threads,
  });

  async function fill(picture: Picture & { readonly mask: Buffer }): Promise<Buffer> {
    const { rgb, width, height, mask } = picture;
    const pixels = width * height;
    const planes = new Uint8Array(pixels * 3);
    const keep = new Uint8Array(pixels);
    for (let i = 0; i < pixels; i++) {
      for (let channel = 0; channel < 3; channel++) planes[channel * pixels + i] = rgb[i * 3 + channel]!;
      if (mask[i]! < THRESHOLD) keep[i] = KEEP;
    }
    const { result } = await session.run({
      image: new Tensor('uint8', planes, [1, 3, height, width]),
      mask: new Tensor('uint8', keep, [1, 1, height, width]),
    });
    const painted = result!.data as Uint8Array;
    const out = Buffer.alloc(pixels * 3);
    for (let i = 0; i < pixels; i++) {
      for (let channel = 0; channel < 3; channel++) out[i * 3 + channel] = painted[channel * pixels + i]!;
    }
    return out;
  }

  return async (picture) => {
    const { rgb, width, height, mask } = picture;
    const out = Buffer.from(rgb);
    if (!mask.some((value) => value >= THRESHOLD)) return out;
    const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
    const painted = scale === 1 ? await fill(picture) : await fillSmaller(picture, scale);
    for (let i = 0; i < mask.length; i++) {
      if (mask[i]! >= THRESHOLD) painted.copy(out, i * 3, i * 3, i * 3 + 3);
    }
    return out;
  };

  async function fillSmaller(picture: Picture & { readonly mask: Buffer }, scale: number): Promise<Buffer> {
    const { rgb, width, height, mask } = picture;
    const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
    const small = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .resize({ ...size, fit: 'fill' })
      .raw()
      .toBuffer();
    // Every pixel that the hole touches is painted: a rest of the old object would be enlarged with the result.
    const grown = await resizePlane({ bytes: mask, width, height }, size);
    const painted = await fill({ rgb: small, ...size, mask: grown.map((value) => (value > 0 ? 255 : 0)) as Buffer });
    return sharp(painted, { raw: { ...size, channels: 3 } })
      .resize({ width, height, fit: 'fill', kernel: 'cubic' })
      .raw()
      .toBuffer();
  }
}
