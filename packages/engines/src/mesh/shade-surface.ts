import type { Shadows } from './cast-shadows.ts';
import type { Samples } from './raster-scene.ts';
import type { SolidPart } from './solid-model.ts';
import {
  type Camera,
  FILL_LIGHT,
  FILL_STRENGTH,
  GROUND_STRENGTH,
  KEY_LIGHT,
  KEY_STRENGTH,
  mirroredLight,
  RIM_LIGHT,
  RIM_STRENGTH,
  SKY_STRENGTH,
  scatterAngle,
  smooth,
} from './studio.ts';

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

/** Reflectance of a non-metal surface at normal incidence. */
const PLASTIC_MIRROR = 0.04;

/** The light that one sample of the model reflects to the camera. */
export function shadeSurface(options: {
  light: Float32Array;
  at: number;
  ray: readonly [number, number, number];
  camera: Camera;
  shadows: Shadows;
  samples: Samples;
  open: number;
  part: SolidPart;
}): void {
  const { light, at, ray, camera, shadows, samples, open, part } = options;
  const { normals, colours } = samples;
  const far = samples.depths[at]!;
  const [x, y, z] = [camera.eye[0] + ray[0] * far, camera.eye[1] + ray[1] * far, camera.eye[2] + ray[2] * far];
  const long = Math.hypot(normals[at * 3]!, normals[at * 3 + 1]!, normals[at * 3 + 2]!) || 1;
  const [nx, ny, nz] = [normals[at * 3]! / long, normals[at * 3 + 1]! / long, normals[at * 3 + 2]! / long];
  const reach = Math.hypot(ray[0], ray[1], ray[2]);
  const [vx, vy, vz] = [-ray[0] / reach, -ray[1] / reach, -ray[2] / reach];
  const facing = Math.max(0.001, nx * vx + ny * vy + nz * vz);

  const key = nx * KEY_LIGHT[0] + ny * KEY_LIGHT[1] + nz * KEY_LIGHT[2];
  const spin = scatterAngle(at);
  const lit = key > 0 ? shadows.keyLight(x + nx * 0.01, y + ny * 0.01, z + nz * 0.01, spin, false) : 0;
  const fill = Math.max(0, nx * FILL_LIGHT[0] + ny * FILL_LIGHT[1] + nz * FILL_LIGHT[2]);
  const rim = Math.max(0, nx * RIM_LIGHT[0] + ny * RIM_LIGHT[1] + nz * RIM_LIGHT[2]) * (1 - facing) ** 2;
  const sky = GROUND_STRENGTH + (SKY_STRENGTH - GROUND_STRENGTH) * (ny * 0.5 + 0.5);
  const grounded = 0.76 + 0.24 * Math.min(1, smooth(-0.05, 0.4, y) + Math.max(0, ny));
  const diffuse =
    sky * open * grounded + KEY_STRENGTH * Math.max(0, key) * lit * (0.5 + 0.5 * open) + FILL_STRENGTH * fill * open;

  const twice = 2 * (nx * vx + ny * vy + nz * vz);
  const mirrored = mirroredLight(nx * twice - vx, ny * twice - vy, nz * twice - vz);
  const gloss = (1 - part.roughness) ** 2;
  const fresnel = (1 - facing) ** 5;
  const shine = open * (0.35 + 0.65 * lit);
  for (let channel = 0; channel < 3; channel++) {
    const colour = colours[at * 3 + channel]!;
    const tint = PLASTIC_MIRROR + (colour - PLASTIC_MIRROR) * part.metallic;
    const mirror = (tint + (1 - tint) * fresnel * 0.6) * mirrored * (part.metallic > 0 ? 1.05 : 1.4 * gloss) * shine;
    light[at * 4 + channel] =
      colour * diffuse * (1 - 0.75 * part.metallic) + mirror + RIM_STRENGTH * rim * (0.3 + 0.7 * colour);
  }
  light[at * 4 + 3] = 1;
}
