import type { Picture } from './picture.ts';

/** Composites an image with alpha over another of the same size. The library's rounding is visible at soft edges. */
export function layOver(below: Picture, above: Picture & { readonly alpha: Buffer }): Picture {
  const rgb = Buffer.from(below.rgb);
  for (let i = 0; i < above.alpha.length; i++) {
    const part = above.alpha[i]! / 255;
    if (part === 0) continue;
    for (let at = i * 3; at < i * 3 + 3; at++) rgb[at] = Math.round(rgb[at]! + (above.rgb[at]! - rgb[at]!) * part);
  }
  return { rgb, width: below.width, height: below.height };
}
