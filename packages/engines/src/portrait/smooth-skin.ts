import { boxBlur } from '../image/box-blur.ts';
import type { Picture } from '../image/picture.ts';

/** Widths are relative to the distance between the outer corners of the eyes. */
const FINE = 0.012;
const COARSE = 0.06;
/** Pores and hairs are kept, so that skin does not look like wax. */
const FINE_SHARE = 0.3;
/** Larger differences, of 255, are facial features and shadows, not blotches. */
const BLOTCH = 16;
const LEAST_WEIGHT = 1e-3;

/**
 * Separates the image into fine detail, blotches and form, and reduces the blotches on skin. The form is computed from
 * skin pixels only, so that lips and brows do not bleed into it.
 */
export function smoothSkin(options: {
  picture: Picture;
  mask: Float32Array;
  eyeSpan: number;
  strength: number;
}): Buffer {
  const { picture, mask, eyeSpan, strength } = options;
  const { width, height, rgb } = picture;
  const out = Buffer.from(rgb);
  const size = { width, height };
  const coarse = { ...size, radius: Math.max(2, Math.round(eyeSpan * COARSE)) };
  const fine = { ...size, radius: Math.max(1, Math.round(eyeSpan * FINE)) };
  const twice = (values: Float32Array, how: typeof fine) => boxBlur(boxBlur(values, how), how);
  const [weightCoarse, weightFine] = [twice(mask, coarse), twice(mask, fine)];
  for (let channel = 0; channel < 3; channel++) {
    const weighted = mask.map((value, i) => value * rgb[i * 3 + channel]!);
    const [form, blotch] = [twice(weighted, coarse), twice(weighted, fine)];
    for (let i = 0; i < mask.length; i++) {
      const skin = mask[i]!;
      if (skin === 0 || weightCoarse[i]! < LEAST_WEIGHT || weightFine[i]! < LEAST_WEIGHT) continue;
      const seen = rgb[i * 3 + channel]!;
      const [low, middle] = [form[i]! / weightCoarse[i]!, blotch[i]! / weightFine[i]!];
      const taken = strength * Math.exp(-(((middle - low) / BLOTCH) ** 2));
      const smooth = low + (middle - low) * (1 - taken) + (seen - middle) * (1 - strength * FINE_SHARE);
      out[i * 3 + channel] = Math.min(255, Math.max(0, Math.round(seen + (smooth - seen) * skin)));
    }
  }
  return out;
}
