import type { Colour, SolidModel } from './solid-model.ts';

export type Vector = readonly [number, number, number];

/** The directions towards the lights of the studio. */
export const KEY_LIGHT = unit([-0.55, 0.95, 0.8]);
export const FILL_LIGHT = unit([0.9, 0.25, 0.6]);
export const RIM_LIGHT = unit([0.5, 0.5, -0.9]);
export const KEY_STRENGTH = 1.05;
export const FILL_STRENGTH = 0.2;
export const RIM_STRENGTH = 0.35;
export const SKY_STRENGTH = 0.62;
export const GROUND_STRENGTH = 0.36;

/** The backdrops: colours of the middle and the edges of the wall, in sRGB. */
export const backdrops = {
  white: { middle: hex('#ffffff'), edge: hex('#dfe3ea') },
  slate: { middle: hex('#5b6675'), edge: hex('#1f252e') },
  blush: { middle: hex('#ffe1dc'), edge: hex('#f2a7a0') },
  sky: { middle: hex('#d6ecff'), edge: hex('#7db8ee') },
  mint: { middle: hex('#dcf7e6'), edge: hex('#84cfa6') },
  sun: { middle: hex('#fff0c4'), edge: hex('#f6b94f') },
  violet: { middle: hex('#c9b6ff'), edge: hex('#5d3fb8') },
} as const satisfies Record<string, { middle: Colour; edge: Colour }>;

export type BackdropName = keyof typeof backdrops;

/** What a polished surface reflects: a bright ceiling, a dark floor, a soft box next to the camera and a strip behind. */
export function mirroredLight(x: number, y: number, z: number): number {
  const ceiling = 0.25 + 0.55 * smooth(-0.2, 0.9, y);
  const box = smooth(0.72, 0.93, x * KEY_LIGHT[0] + y * KEY_LIGHT[1] + z * KEY_LIGHT[2]);
  const strip = smooth(0.82, 0.97, x * FILL_LIGHT[0] + y * FILL_LIGHT[1] + z * FILL_LIGHT[2]);
  const back = smooth(0.6, 0.95, x * RIM_LIGHT[0] + y * RIM_LIGHT[1] + z * RIM_LIGHT[2]);
  return ceiling * (0.6 + 0.4 * smooth(-0.5, 0, y)) + 1.3 * box + 0.5 * strip + 0.5 * back;
}

/** An angle that looks random from one sample to the next. */
export function scatterAngle(at: number): number {
  let mixed = Math.imul(at ^ (at >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) * (6.283185 / 2 ** 32);
}

export function smooth(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
}

export function unit([x, y, z]: Vector): Vector {
  const long = Math.hypot(x, y, z) || 1;
  return [x / long, y / long, z / long];
}

function hex(text: string): Colour {
  const value = Number.parseInt(text.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

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
