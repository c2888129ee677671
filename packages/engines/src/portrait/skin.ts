import sharp from 'sharp';
import type { Picture } from '../image/picture.ts';
import { boxBlur } from '../image/planes.ts';
import { type FaceMesh, faceRings, type Point } from './face-mesh.ts';

/** Widths are relative to the distance between the outer corners of the eyes. */
const SOFT_EDGE = 0.05;
const FEATURE_MARGIN = 0.07;
/** The mesh ends at the eyebrows; the forehead extends further. */
const FOREHEAD = 0.12;
/** Maximum colour distance from the cheeks that counts as skin. */
const [NEAR_SKIN, NOT_SKIN] = [18, 42];
/** Relative to the cheeks: anything darker is hair or a nostril, not skin in shadow. */
const [DARK, LIT] = [0.5, 0.72];
const CHEEKS = [50, 280, 205, 425, 101, 330];

/** The skin mask of the faces, 0 to 1, without eyes, brows, lips, nostrils, hair and glasses. */
export async function drawSkinMask(picture: Picture, faces: readonly FaceMesh[]): Promise<Float32Array> {
  const { width, height } = picture;
  const mask = new Float32Array(width * height);
  for (const face of faces) {
    const drawn = await drawFace(face, { width, height });
    const [redness, blueness, light] = cheekColour(picture, face);
    for (let i = 0; i < mask.length; i++) {
      if (drawn[i] === 0) continue;
      const [r, g, b] = [picture.rgb[i * 3]!, picture.rgb[i * 3 + 1]!, picture.rgb[i * 3 + 2]!];
      const away = Math.hypot(r - g - redness, b - g - blueness);
      const skin = 1 - Math.min(1, Math.max(0, (away - NEAR_SKIN) / (NOT_SKIN - NEAR_SKIN)));
      const bright = Math.min(1, Math.max(0, ((r + g + b) / 3 / light - DARK) / (LIT - DARK)));
      mask[i] = Math.max(mask[i]!, (drawn[i]! / 255) * skin * bright);
    }
  }
  return mask;
}

async function drawFace({ points, eyeSpan }: FaceMesh, size: { width: number; height: number }): Promise<Buffer> {
  const path = (ring: readonly number[]) => toPath(ring.map((index) => points[index]!));
  const margin = eyeSpan * FEATURE_MARGIN;
  const nostrils = [98, 97, 2, 326, 327, 278, 48];
  const features = [
    ...[faceRings.outerLips, faceRings.leftEye, faceRings.rightEye, faceRings.leftBrow, faceRings.rightBrow],
    nostrils,
  ].map(
    (ring) => `<path d="${path(ring)}" fill="black" stroke="black" stroke-linejoin="round" stroke-width="${margin}"/>`,
  );
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">` +
    `<rect width="100%" height="100%" fill="black"/>` +
    `<path d="${path(faceRings.outline)}" fill="white" stroke="white" stroke-width="${eyeSpan * FOREHEAD * 0.5}"/>${features.join('')}</svg>`;
  return sharp(Buffer.from(svg))
    .blur(Math.max(0.5, eyeSpan * SOFT_EDGE))
    .extractChannel(0)
    .raw()
    .toBuffer();
}

function toPath(points: readonly Point[]): string {
  return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z`;
}

/** Colour differences (red and blue against green) and brightness in the middle of the cheeks. */
function cheekColour({ rgb, width, height }: Picture, { points }: FaceMesh): readonly [number, number, number] {
  const seen = CHEEKS.map((index) => {
    const { x, y } = points[index]!;
    const at =
      (Math.min(height - 1, Math.max(0, Math.round(y))) * width + Math.min(width - 1, Math.max(0, Math.round(x)))) * 3;
    const [r, g, b] = [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!];
    return [r - g, b - g, (r + g + b) / 3] as const;
  });
  const middle = (of: (each: readonly [number, number, number]) => number) =>
    seen.map(of).sort((one, other) => one - other)[Math.floor(seen.length / 2)]!;
  return [
    middle(([red]) => red),
    middle(([, blue]) => blue),
    Math.max(
      1,
      middle(([, , light]) => light),
    ),
  ];
}

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
