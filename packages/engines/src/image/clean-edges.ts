import { boxBlur } from './box-blur.ts';
import type { Picture } from './picture.ts';
import { sampleGrid } from './sample-grid.ts';
import { shrinkPlanes } from './shrink-planes.ts';

const GRID_SIDE = 800;
const RADIUS_PER_SIDE = 1 / 60;
const LEAST_WEIGHT = 1e-4;

/**
 * Removes the old background's colour from the translucent edge. Nearby colours of subject and background are estimated by
 * blurring each with its own weight; the difference of a pixel from their mix belongs to the subject.
 */
export async function cleanEdges(picture: Picture & { readonly alpha: Buffer }): Promise<Buffer> {
  const { red, green, blue, alpha, width, height } = await shrinkPlanes(picture, { maxSide: GRID_SIDE });
  const size = { width, height, radius: Math.max(3, Math.round(Math.max(width, height) * RADIUS_PER_SIDE)) };
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
