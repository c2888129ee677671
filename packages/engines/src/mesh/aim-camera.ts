import type { SolidModel } from './solid-model.ts';
import { unit, type Vector } from './studio.ts';

const VIEW_DEGREES = 26;
/** The share of the frame that the model fills. */
const FILLS = 0.8;

export interface Camera {
  readonly eye: Vector;
  readonly right: Vector;
  readonly up: Vector;
  readonly ahead: Vector;
  /** Pixels per length at distance 1. */
  readonly focal: number;
  readonly centreX: number;
  readonly centreY: number;
}

/** A camera aimed at a placed model, so that it fits the frame at every rotation. */
export function aimCamera(
  model: SolidModel,
  options: { width: number; height: number; yaw: number; pitch: number; turning: boolean },
): Camera {
  const { width, height, yaw, pitch } = options;
  const ahead = unit([-Math.sin(yaw) * Math.cos(pitch), -Math.sin(pitch), -Math.cos(yaw) * Math.cos(pitch)]);
  const right: Vector = unit([-ahead[2], 0, ahead[0]]);
  const up: Vector = [
    right[1] * ahead[2] - right[2] * ahead[1],
    right[2] * ahead[0] - right[0] * ahead[2],
    right[0] * ahead[1] - right[1] * ahead[0],
  ];
  const focal = Math.min(width, height) / 2 / Math.tan((VIEW_DEGREES * Math.PI) / 360);
  const { points, middle } = measure(model, options.turning);
  let distance = 0;
  for (const point of points) {
    const from: Vector = [point[0], point[1] - middle, point[2]];
    const [x, y, z] = [dot(from, right), dot(from, up), dot(from, ahead)];
    distance = Math.max(
      distance,
      (Math.abs(x) * focal) / ((width / 2) * FILLS) - z,
      (Math.abs(y) * focal) / ((height / 2) * FILLS) - z,
    );
  }
  return {
    eye: [-ahead[0] * distance, middle - ahead[1] * distance, -ahead[2] * distance],
    right,
    up,
    ahead,
    focal,
    centreX: width / 2,
    centreY: height * 0.49,
  };
}

/** The corners of the visible volume: the model's box, or the cylinder that it sweeps while turning. */
function measure(model: SolidModel, turning: boolean): { points: Vector[]; middle: number } {
  let [wide, tall, deep, reach] = [0, 0, 0, 0];
  for (const { positions } of model.parts) {
    for (let at = 0; at < positions.length; at += 3) {
      wide = Math.max(wide, Math.abs(positions[at]!));
      tall = Math.max(tall, positions[at + 1]!);
      deep = Math.max(deep, Math.abs(positions[at + 2]!));
      reach = Math.max(reach, Math.hypot(positions[at]!, positions[at + 2]!));
    }
  }
  const points: Vector[] = [];
  for (let step = 0; step < 24; step++) {
    const angle = (step / 24) * 2 * Math.PI;
    const [x, z] = turning
      ? [Math.cos(angle) * reach, Math.sin(angle) * reach]
      : [step % 2 === 0 ? wide : -wide, step % 4 < 2 ? deep : -deep];
    points.push([x, 0, z], [x, tall, z]);
  }
  return { points, middle: tall / 2 };
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
