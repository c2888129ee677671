import { boxBlur } from '../image/box-blur.ts';

/** Grows the marked area (255) by a few pixels on every side, to include an object's soft edge and shadow. */
export function growMask(mask: Buffer, options: { width: number; height: number; radius: number }): Buffer {
  if (options.radius < 1) return Buffer.from(mask);
  const near = boxBlur(Float32Array.from(mask), options);
  const out = Buffer.alloc(mask.length);
  // Any share above a rounding error means that a marked pixel is within the square.
  for (let i = 0; i < out.length; i++) out[i] = near[i]! > 1e-3 ? 255 : 0;
  return out;
}
