import type { Picture } from './picture.ts';
import { boxBlur, sampleGrid, shrinkPlanes } from './planes.ts';

const GRID_SIDE = 800;
const EDGE_RADIUS_PER_SIDE = 1 / 60;
const LEAST_WEIGHT = 1e-4;

/**
 * Removes the old background's colour from the translucent edge. Nearby colours of subject and background are estimated by
 * blurring each with its own weight; the difference of a pixel from their mix belongs to the subject.
 */
export async function cleanEdges(picture: Picture & { readonly alpha: Buffer }): Promise<Buffer> {
  const { red, green, blue, alpha, width, height } = await shrinkPlanes(picture, { maxSide: GRID_SIDE });
  const size = { width, height, radius: Math.max(3, Math.round(Math.max(width, height) * EDGE_RADIUS_PER_SIDE)) };
  const rest = alpha.map((value) => 1 - value);
  const near = (channel: Float32Array, share: Float32Array, total: Float32Array) => {
    const weighted = boxBlur(
      channel.map((value, i) => value * share[i]!),
      size,
    );
    const plain = boxBlur(channel, size);
    return weighted.map((value, i) => (total[i]! > LEAST_WEIGHT ? value / total[i]! : plain[i]!));
  };
  const [totalAlpha, totalRest] = [boxBlur(alpha, size), boxBlur(rest, size)];
  const channels = [red, green, blue];
  const planes = [
    ...channels.map((channel) => near(channel, alpha, totalAlpha)),
    ...channels.map((channel) => near(channel, rest, totalRest)),
  ];

  const out = Buffer.from(picture.rgb);
  sampleGrid({ planes, width, height }, picture, (pixel, values) => {
    const share = picture.alpha[pixel]! / 255;
    if (share === 0 || share === 1) return;
    for (let channel = 0; channel < 3; channel++) {
      const [subject, ground] = [values[channel]!, values[channel + 3]!];
      const seen = picture.rgb[pixel * 3 + channel]! / 255;
      const clean = subject + share * (seen - share * subject - (1 - share) * ground);
      out[pixel * 3 + channel] = Math.round(Math.min(1, Math.max(0, clean)) * 255);
    }
  });
  return out;
}

const MATTE_RADIUS_PER_SIDE = 1 / 140;
/** Colour difference that counts as an edge: small values follow hair, large ones ignore texture. */
const TOLERANCE = 2e-4;
/** Alpha this close to 0 or 1 is rounded to it: no veil over the background, no holes in the subject. */
const [FLOOR, CEILING] = [0.04, 0.96];

/**
 * Aligns a low-resolution matte with the edges of the image: a guided filter, where alpha is a linear function of colour in
 * each neighbourhood. The functions are computed on a small grid and applied to every pixel.
 */
export async function refineAlpha(picture: Picture & { readonly alpha: Buffer }): Promise<Buffer> {
  const { red, green, blue, alpha, width, height } = await shrinkPlanes(picture, { maxSide: GRID_SIDE });
  const size = { width, height, radius: Math.max(2, Math.round(Math.max(width, height) * MATTE_RADIUS_PER_SIDE)) };
  const mean = (values: Float32Array) => boxBlur(values, size);
  const product = (left: Float32Array, right: Float32Array) => mean(left.map((value, i) => value * right[i]!));

  const means = [mean(red), mean(green), mean(blue), mean(alpha)] as const;
  const [rr, rg, rb] = [product(red, red), product(red, green), product(red, blue)];
  const [gg, gb, bb] = [product(green, green), product(green, blue), product(blue, blue)];
  const [ra, ga, ba] = [product(red, alpha), product(green, alpha), product(blue, alpha)];

  const slopes = Array.from({ length: 4 }, () => new Float32Array(alpha.length));
  const [ofRed, ofGreen, ofBlue, offset] = slopes as [Float32Array, Float32Array, Float32Array, Float32Array];
  for (let i = 0; i < alpha.length; i++) {
    const [r, g, b, a] = [means[0][i]!, means[1][i]!, means[2][i]!, means[3][i]!];
    const [s11, s12, s13] = [rr[i]! - r * r + TOLERANCE, rg[i]! - r * g, rb[i]! - r * b];
    const [s22, s23, s33] = [gg[i]! - g * g + TOLERANCE, gb[i]! - g * b, bb[i]! - b * b + TOLERANCE];
    const [c1, c2, c3] = [ra[i]! - r * a, ga[i]! - g * a, ba[i]! - b * a];
    // The inverse of the symmetric covariance matrix, by its cofactors.
    const [k11, k12, k13] = [s22 * s33 - s23 * s23, s13 * s23 - s12 * s33, s12 * s23 - s13 * s22];
    const [k22, k23, k33] = [s11 * s33 - s13 * s13, s12 * s13 - s11 * s23, s11 * s22 - s12 * s12];
    const determinant = s11 * k11 + s12 * k12 + s13 * k13;
    ofRed[i] = (k11 * c1 + k12 * c2 + k13 * c3) / determinant;
    ofGreen[i] = (k12 * c1 + k22 * c2 + k23 * c3) / determinant;
    ofBlue[i] = (k13 * c1 + k23 * c2 + k33 * c3) / determinant;
    offset[i] = a - ofRed[i]! * r - ofGreen[i]! * g - ofBlue[i]! * b;
  }

  const out = Buffer.alloc(picture.width * picture.height);
  const { rgb } = picture;
  sampleGrid({ planes: slopes.map(mean), width, height }, picture, (pixel, values) => {
    const [r, g, b] = [rgb[pixel * 3]! / 255, rgb[pixel * 3 + 1]! / 255, rgb[pixel * 3 + 2]! / 255];
    const value = values[0]! * r + values[1]! * g + values[2]! * b + values[3]!;
    out[pixel] = Math.round(Math.min(1, Math.max(0, (value - FLOOR) / (CEILING - FLOOR))) * 255);
  });
  return out;
}
