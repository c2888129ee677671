import type { Samples } from './raster-scene.ts';
import { scatterAngle } from './studio.ts';

const TAPS = 10;
/** The radius of ambient occlusion, relative to the model's length. */
const REACH = 0.05;
const DARKEST = 0.6;

/** Ambient occlusion of each sample from neighbouring depths: 1 when unoccluded, less in corners. */
export function shadeCrevices({ width, height, depths }: Samples, focal: number): Float32Array {
  const open = new Float32Array(width * height).fill(1);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const at = row * width + column;
      const far = depths[at]!;
      if (far === 0) continue;
      const radius = (REACH * focal) / far;
      const spin = scatterAngle(at);
      let hidden = 0;
      for (let tap = 0; tap < TAPS; tap += 2) {
        const reach = radius * ((tap + 1.5) / TAPS);
        const [dx, dy] = [
          Math.round(Math.cos(spin + tap * 2.4) * reach),
          Math.round(Math.sin(spin + tap * 2.4) * reach),
        ];
        // Two opposite samples: on a slope their differences cancel out.
        const rise =
          far * 2 -
          depthAt(depths, width, height, column + dx, row + dy, far) -
          depthAt(depths, width, height, column - dx, row - dy, far);
        if (rise > 0.002 && rise < 3 * REACH) hidden += Math.min(1, rise / (0.5 * REACH));
      }
      open[at] = 1 - DARKEST * Math.min(1, (hidden / (TAPS / 2)) * 1.4);
    }
  }
  return open;
}

function depthAt(
  depths: Float32Array,
  width: number,
  height: number,
  column: number,
  row: number,
  otherwise: number,
): number {
  if (column < 0 || row < 0 || column >= width || row >= height) return otherwise;
  return depths[row * width + column]! || otherwise;
}
