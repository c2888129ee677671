import { collectSurfaces, type Surface } from './collect-surfaces.ts';
import { fillTriangle } from './fill-triangle.ts';
import { type Camera, fitCamera } from './fit-camera.ts';
import { encodeThumbnail } from './probe-image.ts';
import type { ProbeResult } from './probe-protocol.ts';
import { ProbeRefusal } from './probe-protocol.ts';
import { readGlb } from './read-glb.ts';
import { type Material, PLAIN_MATERIAL, readMaterials } from './read-materials.ts';

/** Twice the thumbnail's size: scaling down smooths the edges. */
const CANVAS_PIXELS = 1024;
const SHADOW_PIXELS = 256;
const SHADOW_BLUR_PIXELS = 5;
const SHADOW_DARKNESS = 0.34;
const BACKGROUND_TOP = [0.965, 0.97, 0.98] as const;
const BACKGROUND_BOTTOM = [0.82, 0.84, 0.87] as const;

const KEY_LIGHT = unit([-0.35, 0.85, 0.75]);
const FILL_LIGHT = unit([0.9, 0.15, 0.35]);
const KEY_STRENGTH = 0.85;
const FILL_STRENGTH = 0.22;
const SKY_STRENGTH = 0.46;
const GROUND_STRENGTH = 0.2;

type Vector = readonly [number, number, number];

const LINEAR_OF_BYTE = Float32Array.from({ length: 256 }, (_, byte) => (byte / 255) ** 2.2);

/** A picture of the model: its own geometry, colours and textures under a plain light. */
export async function renderModel(path: string): Promise<ProbeResult> {
  const glb = await readGlb(path);
  const surfaces = collectSurfaces(glb);
  const camera = fitCamera(surfaces, CANVAS_PIXELS);
  if (!camera) throw new ProbeRefusal('The model has no visible surface.');
  const materials = await readMaterials(glb);

  const canvas = paintBackground(castShadow(surfaces, camera));
  const depths = new Float32Array(CANVAS_PIXELS * CANVAS_PIXELS);
  for (const surface of surfaces) {
    paintSurface({ surface, material: materials[surface.material ?? -1] ?? PLAIN_MATERIAL, camera, canvas, depths });
  }
  const picture = await encodeThumbnail(canvas, { width: CANVAS_PIXELS, height: CANVAS_PIXELS, channels: 3 });
  return { answer: { readable: true }, picture };
}

function paintSurface({
  surface,
  material,
  camera,
  canvas,
  depths,
}: {
  surface: Surface;
  material: Material;
  camera: Camera;
  canvas: Uint8Array;
  depths: Float32Array;
}): void {
  const { positions, normals, colours, texturePoints, corners } = surface;
  const points = camera.project(positions);
  const texture = texturePoints ? material.texture : null;
  if (material.masked && material.alpha < 0.1) return;

  for (let at = 0; at < corners.length; at += 3) {
    const [a, b, c] = [corners[at]! * 3, corners[at + 1]! * 3, corners[at + 2]! * 3];
    const flat = normals ? null : faceNormal(positions, a, b, c);
    const flatLight = flat && light(flat, camera.towardsEye);
    fillTriangle(points, [a, b, c], CANVAS_PIXELS, (pixel, near, wa, wb, wc) => {
      if (near <= depths[pixel]!) return;
      let { red, green, blue } = material;
      if (texture && texturePoints) {
        const u =
          wa * texturePoints[(a / 3) * 2]! + wb * texturePoints[(b / 3) * 2]! + wc * texturePoints[(c / 3) * 2]!;
        const v =
          wa * texturePoints[(a / 3) * 2 + 1]! +
          wb * texturePoints[(b / 3) * 2 + 1]! +
          wc * texturePoints[(c / 3) * 2 + 1]!;
        const column = Math.min(texture.width - 1, Math.floor((u - Math.floor(u)) * texture.width));
        const row = Math.min(texture.height - 1, Math.floor((v - Math.floor(v)) * texture.height));
        const texel = (row * texture.width + column) * 4;
        if (material.masked && texture.pixels[texel + 3]! < 128) return;
        red *= LINEAR_OF_BYTE[texture.pixels[texel]!]!;
        green *= LINEAR_OF_BYTE[texture.pixels[texel + 1]!]!;
        blue *= LINEAR_OF_BYTE[texture.pixels[texel + 2]!]!;
      }
      if (colours) {
        red *= wa * colours[a]! + wb * colours[b]! + wc * colours[c]!;
        green *= wa * colours[a + 1]! + wb * colours[b + 1]! + wc * colours[c + 1]!;
        blue *= wa * colours[a + 2]! + wb * colours[b + 2]! + wc * colours[c + 2]!;
      }
      let brightness = flatLight ?? 1;
      if (normals) {
        brightness = light(
          unit([
            wa * normals[a]! + wb * normals[b]! + wc * normals[c]!,
            wa * normals[a + 1]! + wb * normals[b + 1]! + wc * normals[c + 1]!,
            wa * normals[a + 2]! + wb * normals[b + 2]! + wc * normals[c + 2]!,
          ]),
          camera.towardsEye,
        );
      }
      if (material.unlit) brightness = 1;
      depths[pixel] = near;
      canvas[pixel * 3] = toByte(red * brightness);
      canvas[pixel * 3 + 1] = toByte(green * brightness);
      canvas[pixel * 3 + 2] = toByte(blue * brightness);
    });
  }
}

/** Both sides of a face are lit: models with faces turned inside out still show. */
function light(normal: Vector, towardsEye: Vector): number {
  const facing = dot(normal, towardsEye) < 0 ? -1 : 1;
  const upward = (normal[1] * facing + 1) / 2;
  const ambient = GROUND_STRENGTH + (SKY_STRENGTH - GROUND_STRENGTH) * upward;
  const key = Math.max(0, dot(normal, KEY_LIGHT) * facing) * KEY_STRENGTH;
  const fill = Math.max(0, dot(normal, FILL_LIGHT) * facing) * FILL_STRENGTH;
  return ambient + key + fill;
}

/** The shadow: the model projected onto the ground, blurred. */
function castShadow(surfaces: readonly Surface[], camera: Camera): Float32Array {
  let shadow = new Float32Array(SHADOW_PIXELS * SHADOW_PIXELS);
  const shrink = SHADOW_PIXELS / CANVAS_PIXELS;
  for (const { positions, corners } of surfaces) {
    const points = camera.project(positions.map((value, at) => (at % 3 === 1 ? camera.groundY : value)));
    for (let at = 0; at < points.length; at += 3) {
      points[at]! *= shrink;
      points[at + 1]! *= shrink;
    }
    for (let at = 0; at < corners.length; at += 3) {
      fillTriangle(points, [corners[at]! * 3, corners[at + 1]! * 3, corners[at + 2]! * 3], SHADOW_PIXELS, (pixel) => {
        shadow[pixel] = 1;
      });
    }
  }
  for (let pass = 0; pass < 3; pass++) shadow = blur(blur(shadow, 1), SHADOW_PIXELS);
  return shadow;
}

function blur(from: Float32Array, step: number): Float32Array<ArrayBuffer> {
  const to = new Float32Array(from.length);
  for (let at = 0; at < from.length; at++) {
    const place = step === 1 ? at % SHADOW_PIXELS : Math.floor(at / SHADOW_PIXELS);
    let sum = 0;
    for (let shift = -SHADOW_BLUR_PIXELS; shift <= SHADOW_BLUR_PIXELS; shift++) {
      if (place + shift >= 0 && place + shift < SHADOW_PIXELS) sum += from[at + shift * step]!;
    }
    to[at] = sum / (2 * SHADOW_BLUR_PIXELS + 1);
  }
  return to;
}

function paintBackground(shadow: Float32Array): Uint8Array {
  const canvas = new Uint8Array(CANVAS_PIXELS * CANVAS_PIXELS * 3);
  const shrink = SHADOW_PIXELS / CANVAS_PIXELS;
  for (let y = 0; y < CANVAS_PIXELS; y++) {
    const fall = y / CANVAS_PIXELS;
    for (let x = 0; x < CANVAS_PIXELS; x++) {
      const shade = 1 - SHADOW_DARKNESS * shadow[Math.floor(y * shrink) * SHADOW_PIXELS + Math.floor(x * shrink)]!;
      for (let channel = 0; channel < 3; channel++) {
        const plain = BACKGROUND_TOP[channel]! + (BACKGROUND_BOTTOM[channel]! - BACKGROUND_TOP[channel]!) * fall;
        canvas[(y * CANVAS_PIXELS + x) * 3 + channel] = Math.round(255 * plain * shade);
      }
    }
  }
  return canvas;
}

function faceNormal(positions: Float32Array, a: number, b: number, c: number): Vector {
  const along = (from: number, to: number, axis: number) => positions[to + axis]! - positions[from + axis]!;
  const [ux, uy, uz] = [along(a, b, 0), along(a, b, 1), along(a, b, 2)];
  const [vx, vy, vz] = [along(a, c, 0), along(a, c, 1), along(a, c, 2)];
  return unit([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]);
}

function unit([x, y, z]: Vector): Vector {
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function toByte(linear: number): number {
  return Math.round(255 * Math.min(1, Math.max(0, linear)) ** (1 / 2.2));
}
