import type { Picture } from '../image/picture.ts';
import type { Point } from './face-mesh.ts';

/** A rotated square of an image, which may extend beyond its edge. */
export interface Square {
  readonly middle: Point;
  readonly side: number;
  readonly roll: number;
}

const MAX_SAMPLES_PER_SIDE = 8;

/** The square as `side` by `side` pixels of three values from 0 to 1; black outside the image. */
export function sampleSquare(picture: Picture, square: Square, side: number): Float32Array {
  const { rgb, width, height } = picture;
  const values = new Float32Array(side * side * 3);
  const [cos, sin] = [Math.cos(square.roll), Math.sin(square.roll)];
  const step = square.side / side;
  // A large square is averaged rather than point-sampled: the models were trained on smooth images.
  const samples = Math.min(MAX_SAMPLES_PER_SIDE, Math.max(1, Math.ceil(step)));
  const weight = 1 / (255 * samples * samples);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const to = (y * side + x) * 3;
      for (let part = 0; part < samples * samples; part++) {
        const u = (x + ((part % samples) + 0.5) / samples - side / 2) * step;
        const v = (y + (Math.floor(part / samples) + 0.5) / samples - side / 2) * step;
        const fx = square.middle.x + u * cos - v * sin - 0.5;
        const fy = square.middle.y + u * sin + v * cos - 0.5;
        if (fx < -0.5 || fy < -0.5 || fx > width - 0.5 || fy > height - 0.5) continue;
        const [x0, y0] = [
          Math.max(0, Math.min(width - 2, Math.floor(fx))),
          Math.max(0, Math.min(height - 2, Math.floor(fy))),
        ];
        const [right, down] = [Math.min(1, Math.max(0, fx - x0)), Math.min(1, Math.max(0, fy - y0))];
        const at = (y0 * width + x0) * 3;
        for (let c = 0; c < 3; c++) {
          const above = rgb[at + c]! * (1 - right) + rgb[at + 3 + c]! * right;
          const below = rgb[at + width * 3 + c]! * (1 - right) + rgb[at + width * 3 + 3 + c]! * right;
          values[to + c]! += (above * (1 - down) + below * down) * weight;
        }
      }
    }
  }
  return values;
}

/** The position of a point of the sampled square in the image. */
export function fromSquare(square: Square, at: Point & { side: number }): Point {
  const [u, v] = [(at.x / at.side - 0.5) * square.side, (at.y / at.side - 0.5) * square.side];
  const [cos, sin] = [Math.cos(square.roll), Math.sin(square.roll)];
  return { x: square.middle.x + u * cos - v * sin, y: square.middle.y + u * sin + v * cos };
}
