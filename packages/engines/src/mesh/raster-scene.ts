import type { SolidModel } from './solid-model.ts';
import type { Camera } from './studio.ts';
import { linear } from './write-glb.ts';

/** Depth, normal, linear colour and part of each sample. */
export interface Samples {
  readonly width: number;
  readonly height: number;
  /** 0 where there is no model. */
  readonly depths: Float32Array;
  readonly normals: Float32Array;
  readonly colours: Float32Array;
  readonly parts: Uint16Array;
}

const LINEAR_OF_BYTE = Float32Array.from({ length: 256 }, (_, byte) => linear([byte / 255, 0, 0])[0]);

export function openSamples(width: number, height: number): Samples {
  const count = width * height;
  return {
    width,
    height,
    depths: new Float32Array(count),
    normals: new Float32Array(count * 3),
    colours: new Float32Array(count * 3),
    parts: new Uint16Array(count),
  };
}

/** Rasterizes every face of the model, rotated by `turn` about its vertical axis. */
export function rasterScene(model: SolidModel, options: { camera: Camera; turn: number; samples: Samples }): void {
  const { samples, turn } = options;
  samples.depths.fill(0);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  model.parts.forEach((part, index) => {
    const screen = project(part.positions, options.camera, cos, sin);
    const { corners, normals } = part;
    const [red, green, blue] = linear(part.colour);
    const texture = part.texturePoints && model.texture;
    for (let at = 0; at < corners.length; at += 3) {
      const [a, b, c] = [corners[at]!, corners[at + 1]!, corners[at + 2]!];
      fillFace(screen, [a * 3, b * 3, c * 3], samples, (pixel, wa, wb, wc) => {
        const mixed = (axis: number) =>
          wa * normals[a * 3 + axis]! + wb * normals[b * 3 + axis]! + wc * normals[c * 3 + axis]!;
        const [x, y, z] = [mixed(0), mixed(1), mixed(2)];
        samples.normals[pixel * 3] = cos * x + sin * z;
        samples.normals[pixel * 3 + 1] = y;
        samples.normals[pixel * 3 + 2] = cos * z - sin * x;
        samples.parts[pixel] = index;
        let texel = -1;
        if (texture) {
          const points = part.texturePoints!;
          const u = wa * points[a * 2]! + wb * points[b * 2]! + wc * points[c * 2]!;
          const v = wa * points[a * 2 + 1]! + wb * points[b * 2 + 1]! + wc * points[c * 2 + 1]!;
          const column = Math.min(texture.width - 1, Math.max(0, Math.floor(u * texture.width)));
          const row = Math.min(texture.height - 1, Math.max(0, Math.floor(v * texture.height)));
          texel = (row * texture.width + column) * 3;
        }
        samples.colours[pixel * 3] = texel < 0 ? red : LINEAR_OF_BYTE[texture!.rgb[texel]!]!;
        samples.colours[pixel * 3 + 1] = texel < 0 ? green : LINEAR_OF_BYTE[texture!.rgb[texel + 1]!]!;
        samples.colours[pixel * 3 + 2] = texel < 0 ? blue : LINEAR_OF_BYTE[texture!.rgb[texel + 2]!]!;
      });
    }
  });
}

/** Screen x, screen y and distance of every point. */
function project(positions: Float32Array, camera: Camera, cos: number, sin: number): Float32Array {
  const screen = new Float32Array(positions.length);
  const { eye, right, up, ahead, focal } = camera;
  for (let at = 0; at < positions.length; at += 3) {
    const x = cos * positions[at]! + sin * positions[at + 2]! - eye[0];
    const y = positions[at + 1]! - eye[1];
    const z = cos * positions[at + 2]! - sin * positions[at]! - eye[2];
    const far = x * ahead[0] + y * ahead[1] + z * ahead[2];
    screen[at] = camera.centreX + (focal * (x * right[0] + y * right[1] + z * right[2])) / far;
    screen[at + 1] = camera.centreY - (focal * (x * up[0] + y * up[1] + z * up[2])) / far;
    screen[at + 2] = far;
  }
  return screen;
}

/** Calls `paint` for each sample of a face that is nearest so far. Back faces are skipped: bodies are closed. */
function fillFace(
  screen: Float32Array,
  [a, b, c]: readonly [number, number, number],
  { width, height, depths }: Samples,
  paint: (pixel: number, wa: number, wb: number, wc: number) => void,
): void {
  const [ax, ay, bx, by, cx, cy] = [screen[a]!, screen[a + 1]!, screen[b]!, screen[b + 1]!, screen[c]!, screen[c + 1]!];
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area >= 0) return;
  const [za, zb, zc] = [screen[a + 2]!, screen[b + 2]!, screen[c + 2]!];
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  for (let row = top; row <= bottom; row++) {
    const y = row + 0.5;
    for (let column = left; column <= right; column++) {
      const x = column + 0.5;
      const wa = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area;
      if (wa < 0) continue;
      const wb = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area;
      if (wb < 0) continue;
      const wc = 1 - wa - wb;
      if (wc < 0) continue;
      const far = wa * za + wb * zb + wc * zc;
      const pixel = row * width + column;
      if (depths[pixel] !== 0 && far >= depths[pixel]!) continue;
      depths[pixel] = far;
      paint(pixel, wa, wb, wc);
    }
  }
}
