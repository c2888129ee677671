import type { Surface } from './collect-surfaces.ts';

/** Where a point of the world lands on the canvas, and how far away it is. */
export interface Camera {
  /** Writes x, y (canvas pixels) and inverse depth for every point. */
  project: (positions: Float32Array) => Float32Array;
  /** From the model towards the eye. */
  towardsEye: readonly [number, number, number];
  groundY: number;
}

const YAW_RADIANS = (32 * Math.PI) / 180;
const PITCH_RADIANS = (20 * Math.PI) / 180;
const HALF_VIEW_RADIANS = (15 * Math.PI) / 180;
/** The part of the canvas the model fills. */
const FILL = 0.82;

/** A three-quarter view from above, as near as the whole model allows. Null when there is nothing to see. */
export function fitCamera(surfaces: readonly Surface[], canvasPixels: number): Camera | null {
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { positions } of surfaces) {
    for (let at = 0; at < positions.length; at++) {
      const axis = at % 3;
      if (positions[at]! < low[axis]!) low[axis] = positions[at]!;
      if (positions[at]! > high[axis]!) high[axis] = positions[at]!;
    }
  }
  const [x, y, z] = [0, 1, 2].map((axis) => (low[axis]! + high[axis]!) / 2) as [number, number, number];
  const radius = Math.hypot(high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!) / 2;
  if (!Number.isFinite(radius) || radius <= 0) return null;

  const [sinYaw, cosYaw] = [Math.sin(YAW_RADIANS), Math.cos(YAW_RADIANS)];
  const [sinPitch, cosPitch] = [Math.sin(PITCH_RADIANS), Math.cos(PITCH_RADIANS)];
  const distance = radius / Math.sin(HALF_VIEW_RADIANS);

  const place = (positions: Float32Array, scale: number, shiftX: number, shiftY: number): Float32Array => {
    const placed = new Float32Array(positions.length);
    for (let at = 0; at + 2 < positions.length; at += 3) {
      const [dx, dy, dz] = [positions[at]! - x, positions[at + 1]! - y, positions[at + 2]! - z];
      const right = dx * cosYaw - dz * sinYaw;
      const back = dx * sinYaw + dz * cosYaw;
      const up = dy * cosPitch - back * sinPitch;
      const near = 1 / Math.max(distance * 0.01, distance - (dy * sinPitch + back * cosPitch));
      placed[at] = shiftX + right * near * scale;
      placed[at + 1] = shiftY - up * near * scale;
      placed[at + 2] = near;
    }
    return placed;
  };

  let [left, right, top, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  for (const { positions } of surfaces) {
    const placed = place(positions, 1, 0, 0);
    for (let at = 0; at < placed.length; at += 3) {
      left = Math.min(left, placed[at]!);
      right = Math.max(right, placed[at]!);
      top = Math.min(top, placed[at + 1]!);
      bottom = Math.max(bottom, placed[at + 1]!);
    }
  }
  const span = Math.max(right - left, bottom - top);
  const scale = span > 0 ? (FILL * canvasPixels) / span : 1;
  const shiftX = canvasPixels / 2 - ((left + right) / 2) * scale;
  const shiftY = canvasPixels / 2 - ((top + bottom) / 2) * scale;
  return {
    project: (positions) => place(positions, scale, shiftX, shiftY),
    towardsEye: [sinYaw * cosPitch, sinPitch, cosYaw * cosPitch],
    groundY: low[1]!,
  };
}
