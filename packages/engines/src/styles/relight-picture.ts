import type { Picture } from '../image/picture.ts';
import { boxBlur, sampleGrid, shrinkPlanes } from '../image/planes.ts';

const SWEEPS = 260;
const RELAXATION = 1.9;

/**
 * The height of an inflated shape: the square root of a Poisson surface that is zero outside the shape. At the edge of the
 * image the surface continues level, because the subject does not end there.
 */
export function inflateAlpha(alpha: Float32Array, size: { width: number; height: number }): Float32Array<ArrayBuffer> {
  const { width, height } = size;
  const surface = new Float32Array(alpha.length);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let y = 0; y < height; y++) {
      const [up, down] = [y > 0 ? -width : 0, y < height - 1 ? width : 0];
      for (let x = 0; x < width; x++) {
        const i = y * width + x;
        if (alpha[i]! < 0.5) continue;
        const [left, right] = [x > 0 ? -1 : 0, x < width - 1 ? 1 : 0];
        const around = surface[i + left]! + surface[i + right]! + surface[i + up]! + surface[i + down]!;
        surface[i]! += RELAXATION * ((around + 1) / 4 - surface[i]!);
      }
    }
  }
  return surface.map((value) => Math.sqrt(Math.max(0, value)));
}

const GRID_SIDE = 224;
/** The assumed roundness of the subject, and the weight of its shading in the surface. */
const ROUNDNESS = 1.9;
const RELIEF = 1.6;
/** Light is added in linear space, not as sRGB values. */
const GAMMA = 2.2;

type Vector = readonly [x: number, y: number, z: number];

const DIRECTIONS: Readonly<Record<string, Vector>> = {
  left: [-1, -0.15, 0.45],
  right: [1, -0.15, 0.45],
  top: [0, -1, 0.45],
  bottom: [0, 1, 0.45],
  'top-left': [-0.75, -0.7, 0.5],
  'top-right': [0.75, -0.7, 0.5],
  front: [0, -0.1, 1],
};

interface Lighting {
  /** Ambient light and lamp; 1 is the light of the photograph. */
  readonly room: Vector;
  readonly lamp: Vector;
  /** How much lamp light the background gets, and how much it loses towards the far side. */
  readonly wall: number;
  readonly fall: number;
}

const LIGHTINGS: Readonly<Record<string, Lighting>> = {
  neutral: { room: [0.4, 0.4, 0.41], lamp: [1.0, 1.0, 0.98], wall: 0.62, fall: 0.5 },
  golden: { room: [0.4, 0.33, 0.29], lamp: [1.32, 0.96, 0.5], wall: 0.58, fall: 0.55 },
  cool: { room: [0.33, 0.38, 0.46], lamp: [0.74, 0.94, 1.22], wall: 0.6, fall: 0.5 },
  moonlight: { room: [0.12, 0.16, 0.26], lamp: [0.4, 0.56, 0.9], wall: 0.36, fall: 0.65 },
  dramatic: { room: [0.1, 0.1, 0.115], lamp: [1.4, 1.34, 1.26], wall: 0.3, fall: 0.85 },
};

/** Lights an image from one side: the subject as a rounded relief, the background as a wall with falloff. */
export async function relightPicture(options: {
  picture: Picture;
  alpha: Buffer;
  direction: string;
  lighting: string;
}): Promise<Picture> {
  const { picture, alpha } = options;
  const towards = normalise(DIRECTIONS[options.direction] ?? DIRECTIONS['top-left']!);
  const { room, lamp, fall, wall: taken } = LIGHTINGS[options.lighting] ?? LIGHTINGS['neutral']!;
  const planes = await findShading({ picture, alpha, towards });
  const linear = Float32Array.from({ length: 256 }, (_, value) => (value / 255) ** GAMMA);
  const rgb = Buffer.alloc(picture.rgb.length);
  const { width, height } = picture;
  sampleGrid(planes, picture, (pixel, [shade]) => {
    const [x, y] = [(pixel % width) / width - 0.5, Math.floor(pixel / width) / height - 0.5];
    // The background is brighter near the lamp.
    const near = 0.5 + (x * towards[0] + y * towards[1]) * 1.1;
    const wall = 1 - fall * (1 - Math.min(1, Math.max(0, near)));
    const share = alpha[pixel]! / 255;
    const onWall = taken * wall;
    const lit = shade! * share + onWall * (1 - share);
    const ambient = share + (1 - share) * wall;
    for (let channel = 0; channel < 3; channel++) {
      const at = pixel * 3 + channel;
      const light = room[channel]! * ambient + lamp[channel]! * lit;
      rgb[at] = toByte(softClip(linear[picture.rgb[at]!]! * light));
    }
  });
  return { rgb, width, height };
}

/** How much each point of the subject faces the lamp, 0 to 1, on a small grid. */
async function findShading(options: { picture: Picture; alpha: Buffer; towards: Vector }) {
  const { picture, alpha, towards } = options;
  const small = await shrinkPlanes({ ...picture, alpha }, { maxSide: GRID_SIDE });
  const { width, height } = small;
  const balloon = inflateAlpha(small.alpha, { width, height });
  const light = small.red.map((red, i) => 0.3 * red + 0.59 * small.green[i]! + 0.11 * small.blue[i]!);
  const blur = (values: Float32Array, radius: number) =>
    boxBlur(boxBlur(values, { width, height, radius }), { width, height, radius });
  const [fine, coarse] = [blur(light, 1), blur(light, 9)];
  const surface = blur(balloon, 3).map(
    (value, i) => value * ROUNDNESS + (fine[i]! - coarse[i]!) * RELIEF * small.alpha[i]!,
  );
  const shade = new Float32Array(surface.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const slopeX = (surface[i + (x < width - 1 ? 1 : 0)]! - surface[i - (x > 0 ? 1 : 0)]!) / 2;
      const slopeY = (surface[i + (y < height - 1 ? width : 0)]! - surface[i - (y > 0 ? width : 0)]!) / 2;
      const normal = normalise([-slopeX, -slopeY, 1]);
      // Wrapped lighting, as in a room: no hard terminator.
      const facing = normal[0] * towards[0] + normal[1] * towards[1] + normal[2] * towards[2];
      shade[i] = Math.max(0, (facing + 0.35) / 1.35) ** 1.15;
    }
  }
  return { planes: [blur(shade, 1)], width, height };
}

function normalise([x, y, z]: Vector): Vector {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

/** Highlights roll off towards white instead of clipping. */
function softClip(value: number): number {
  return value <= 0.8 ? value : 0.8 + 0.2 * (1 - Math.exp(-(value - 0.8) / 0.2));
}

function toByte(light: number): number {
  return Math.round(255 * Math.min(1, Math.max(0, light)) ** (1 / GAMMA));
}
