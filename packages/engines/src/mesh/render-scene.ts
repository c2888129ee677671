import { castShadows, type Shadows } from './cast-shadows.ts';
import { openSamples, rasterScene, type Samples } from './raster-scene.ts';
import { shadeCrevices, shadeSurface } from './shade-surface.ts';
import type { Colour, SolidModel } from './solid-model.ts';
import { aimCamera, type Camera, scatterAngle, smooth } from './studio.ts';
import { linear } from './write-glb.ts';

/** Samples per pixel and side: four in all. */
const SAMPLES_PER_SIDE = 2;
const GROUND_SHADOW = 0.5;
const SHADOW_TINT: Colour = [0.1, 0.11, 0.2];

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly turning: boolean;
  /** Without it the image is transparent except for the model and its shadow. */
  readonly backdrop: { readonly middle: Colour; readonly edge: Colour } | undefined;
}

/** Renders a placed model at each rotation: RGBA, row by row. */
export function openStudio(model: SolidModel, options: Scene): (turn: number) => Buffer {
  const { backdrop } = options;
  const scene = { ...options, backdrop: backdrop && { middle: linear(backdrop.middle), edge: linear(backdrop.edge) } };
  const [width, height] = [scene.width * SAMPLES_PER_SIDE, scene.height * SAMPLES_PER_SIDE];
  const camera = aimCamera(model, { ...scene, width, height });
  const samples = openSamples(width, height);
  const light = new Float32Array(width * height * 4);
  return (turn) => {
    rasterScene(model, { camera, turn, samples });
    const shadows = castShadows(model, turn);
    const open = shadeCrevices(samples, camera.focal);
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const at = row * width + column;
        const ray = rayThrough(camera, column + 0.5, row + 0.5);
        if (samples.depths[at] === 0)
          paintGround({ light, at, ray, camera, shadows, scene, u: column / width, v: row / height });
        else
          shadeSurface({
            light,
            at,
            ray,
            camera,
            shadows,
            samples,
            open: open[at]!,
            part: model.parts[samples.parts[at]!]!,
          });
      }
    }
    return develop(light, samples);
  };
}

type Ray = readonly [number, number, number];

/** Scaled to length 1 along the camera's axis, so that depth times it is the offset from the camera. */
function rayThrough({ right, up, ahead, focal, centreX, centreY }: Camera, x: number, y: number): Ray {
  const [across, above] = [(x - centreX) / focal, (centreY - y) / focal];
  return [
    ahead[0] + right[0] * across + up[0] * above,
    ahead[1] + right[1] * across + up[1] * above,
    ahead[2] + right[2] * across + up[2] * above,
  ];
}

function paintGround(options: {
  light: Float32Array;
  at: number;
  ray: Ray;
  camera: Camera;
  shadows: Shadows;
  scene: Scene;
  u: number;
  v: number;
}): void {
  const { light, at, ray, camera, shadows, scene, u, v } = options;
  let shade = 0;
  if (ray[1] < -0.01) {
    const far = -camera.eye[1] / ray[1];
    const [x, z] = [camera.eye[0] + ray[0] * far, camera.eye[2] + ray[2] * far];
    const near = 1 - smooth(1, 1.9, Math.hypot(x, z));
    if (near > 0) {
      const lit = shadows.keyLight(x, 0, z, scatterAngle(at), true);
      shade = near * (1 - (1 - GROUND_SHADOW * (1 - lit)) * shadows.openSky(x, z));
    }
  }
  if (!scene.backdrop) {
    for (let channel = 0; channel < 3; channel++) light[at * 4 + channel] = SHADOW_TINT[channel]! * 0.1 * shade;
    light[at * 4 + 3] = shade;
    return;
  }
  const edge = smooth(0.1, 0.85, Math.hypot(u - 0.5, (v - 0.46) * 1.05));
  const { middle, edge: outer } = scene.backdrop;
  for (let channel = 0; channel < 3; channel++) {
    const wall = middle[channel]! + (outer[channel]! - middle[channel]!) * edge;
    light[at * 4 + channel] = wall * (1 - shade + shade * SHADOW_TINT[channel]!);
  }
  light[at * 4 + 3] = 1;
}

/** Averages samples to pixels. Colour stays premultiplied until the end. */
function develop(light: Float32Array, { width, height }: Samples): Buffer {
  const [columns, rows] = [width / SAMPLES_PER_SIDE, height / SAMPLES_PER_SIDE];
  const picture = Buffer.alloc(columns * rows * 4);
  const share = SAMPLES_PER_SIDE * SAMPLES_PER_SIDE;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const sums = [0, 0, 0, 0];
      for (let dy = 0; dy < SAMPLES_PER_SIDE; dy++) {
        for (let dx = 0; dx < SAMPLES_PER_SIDE; dx++) {
          const from = ((row * SAMPLES_PER_SIDE + dy) * width + column * SAMPLES_PER_SIDE + dx) * 4;
          for (let channel = 0; channel < 4; channel++) sums[channel]! += Math.min(1.1, light[from + channel]!);
        }
      }
      const to = (row * columns + column) * 4;
      const alpha = sums[3]! / share;
      // Dithering by less than one step hides the bands of soft backdrops.
      const grain = scatterAngle(to) / 6.283 - 0.5;
      for (let channel = 0; channel < 3; channel++) {
        picture[to + channel] = Math.min(
          255,
          Math.max(0, Math.round(255 * shown(sums[channel]! / (share * alpha || 1)) + grain)),
        );
      }
      picture[to + 3] = Math.round(255 * Math.min(1, alpha));
    }
  }
  return picture;
}

function shown(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * Math.min(1, value) ** (1 / 2.4) - 0.055;
}
