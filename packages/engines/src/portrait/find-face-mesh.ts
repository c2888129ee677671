import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Tf from '@tensorflow/tfjs';
import type { Tensor } from '@tensorflow/tfjs';
import { type EngineKit, EngineRefusal } from '../engine.ts';
import type { Picture } from '../image/picture.ts';
import { type FaceMesh, facePoints, faceRings, type Point } from './face-mesh.ts';

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

export interface Graph {
  readonly tf: typeof Tf;
  readonly model: Tf.GraphModel;
}

let started: Promise<typeof Tf> | null = null;

/** Opens a TensorFlow.js graph from files, on the WebAssembly backend. */
export async function openGraph(options: { folder: string; name: string }): Promise<Graph> {
  started ??= startTensorflow();
  const tf = await started;
  const [topology, weights] = await Promise.all([
    readFile(join(options.folder, `${options.name}.json`), 'utf8'),
    readFile(join(options.folder, `${options.name}.bin`)),
  ]);
  const { modelTopology, weightsManifest } = JSON.parse(topology) as Tf.io.ModelJSON;
  const model = await tf.loadGraphModel({
    load: async () => ({
      modelTopology,
      weightSpecs: weightsManifest.flatMap((group) => group.weights),
      weightData: Uint8Array.from(weights).buffer,
    }),
  });
  return { tf, model };
}

async function startTensorflow(): Promise<typeof Tf> {
  const tf = await import('@tensorflow/tfjs');
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  const home = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));
  setWasmPaths(`${home}/`);
  await tf.setBackend('wasm');
  await tf.ready();
  return tf;
}

interface FoundFace {
  readonly middle: Point;
  /** The longer side of the box around the face. */
  readonly side: number;
  /** Rotation of the line between the eyes, in radians. */
  readonly roll: number;
  readonly score: number;
}

const SIDE = 256;
const MIN_SCORE = 0.5;
const MAX_OVERLAP = 0.3;
const MAX_FACES = 8;
/** The cells of the model's two output grids, and the number of predictions per cell. */
const GRIDS = [
  { cells: 16, answers: 2 },
  { cells: 8, answers: 6 },
];
const VALUES_PER_BOX = 16;

/** The faces of an image, the most confident first. */
export async function detectFaces({ tf, model }: Graph, picture: Picture): Promise<FoundFace[]> {
  const side = Math.max(picture.width, picture.height);
  const square = { middle: { x: picture.width / 2, y: picture.height / 2 }, side, roll: 0 };
  const pixels = sampleSquare(picture, square, SIDE).map((value) => value * 2 - 1);
  const answers = tf.tidy(() => model.predict(tf.tensor4d(pixels, [1, SIDE, SIDE, 3]))) as
    | Record<string, unknown>
    | unknown[];
  const tensors = (Array.isArray(answers) ? answers : Object.values(answers)) as import('@tensorflow/tfjs').Tensor[];
  const read = async (rows: number, columns: number) => {
    const found = tensors.find(({ shape }) => shape[1] === rows && shape[2] === columns);
    if (found === undefined) throw new Error(`the face detector returned no ${rows} by ${columns} tensor`);
    return found.data();
  };
  const faces: FoundFace[] = [];
  for (const { cells, answers: perCell } of GRIDS) {
    const rows = cells * cells * perCell;
    const [scores, boxes] = [await read(rows, 1), await read(rows, VALUES_PER_BOX)];
    for (let row = 0; row < rows; row++) {
      const score = 1 / (1 + Math.exp(-scores[row]!));
      if (score < MIN_SCORE) continue;
      const cell = Math.floor(row / perCell);
      const anchor = { x: ((cell % cells) + 0.5) / cells, y: (Math.floor(cell / cells) + 0.5) / cells };
      const value = (index: number) => boxes[row * VALUES_PER_BOX + index]! / SIDE;
      const place = (index: number): Point => ({
        x: square.middle.x + (anchor.x + value(index) - 0.5) * side,
        y: square.middle.y + (anchor.y + value(index + 1) - 0.5) * side,
      });
      const [left, right] = [place(4), place(6)];
      faces.push({
        middle: place(0),
        side: Math.max(value(2), value(3)) * side,
        roll: Math.atan2(right.y - left.y, right.x - left.x),
        score,
      });
    }
  }
  for (const each of tensors) each.dispose();
  return dropDoubles(faces.sort((one, other) => other.score - one.score)).slice(0, MAX_FACES);
}

function dropDoubles(faces: readonly FoundFace[]): FoundFace[] {
  const kept: FoundFace[] = [];
  for (const face of faces) if (kept.every((other) => overlap(face, other) < MAX_OVERLAP)) kept.push(face);
  return kept;
}

function overlap(one: FoundFace, other: FoundFace): number {
  const shared = (axis: 'x' | 'y') =>
    Math.max(
      0,
      Math.min(one.middle[axis] + one.side / 2, other.middle[axis] + other.side / 2) -
        Math.max(one.middle[axis] - one.side / 2, other.middle[axis] - other.side / 2),
    );
  const both = shared('x') * shared('y');
  return both / (one.side ** 2 + other.side ** 2 - both);
}

/** Finds the faces of an image, the largest first; refuses an image without one. */
export type FaceFinder = (picture: Picture) => Promise<FaceMesh[]>;

const MESH_SIDE = 192;
const MESH_POINTS = 468;
/** The mesh model needs the whole head with some margin. */
const AIR = 1.6;
const MIN_CONFIDENCE = 0.5;
/** The first mesh locates the face better than the detector does. */
const ROUNDS = 2;

export async function findFaceMesh(options: { kit: Pick<EngineKit, 'weights'> }): Promise<FaceFinder> {
  const folder = options.kit.weights('face');
  const detector = await openGraph({ folder, name: 'blazeface' });
  const { tf, model } = await openGraph({ folder, name: 'facemesh' });

  async function measure(picture: Picture, start: Square): Promise<FaceMesh> {
    let square = start;
    let found: { points: Point[]; confidence: number } | null = null;
    for (let round = 0; round < ROUNDS; round++) {
      const pixels = sampleSquare(picture, square, MESH_SIDE);
      const answers = tf.tidy(() => model.execute(tf.tensor4d(pixels, [1, MESH_SIDE, MESH_SIDE, 3]))) as Tensor[];
      const read = (size: number) => answers.find((each) => each.size === size)!.data();
      const [flat, [flag]] = [await read(MESH_POINTS * 3), await read(1)];
      for (const each of answers) each.dispose();
      const points = Array.from({ length: MESH_POINTS }, (_, i) =>
        fromSquare(square, { x: flat[i * 3]!, y: flat[i * 3 + 1]!, side: MESH_SIDE }),
      );
      found = { points, confidence: toChance(flag!) };
      square = squareAround(points);
    }
    return { ...found!, ...judgePose(found!.points) };
  }

  return async (picture) => {
    const faces = await detectFaces(detector, picture);
    const meshes: FaceMesh[] = [];
    for (const { middle, side, roll } of faces) {
      const mesh = await measure(picture, { middle, side: side * AIR, roll });
      if (mesh.confidence >= MIN_CONFIDENCE) meshes.push(mesh);
    }
    if (meshes.length === 0) {
      throw new EngineRefusal('No face found in the image. Use an image with a large face that looks at the camera.');
    }
    return meshes.sort((one, other) => other.eyeSpan - one.eyeSpan);
  };
}

/** Some exports of the model return a probability, some its logit. */
function toChance(flag: number): number {
  return flag >= 0 && flag <= 1 ? flag : 1 / (1 + Math.exp(-flag));
}

function squareAround(points: readonly Point[]): Square {
  const outline = faceRings.outline.map((index) => points[index]!);
  const [xs, ys] = [outline.map(({ x }) => x), outline.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [eye, other] = [points[facePoints.leftEyeCorner]!, points[facePoints.rightEyeCorner]!];
  return {
    middle: { x: (left + right) / 2, y: (top + bottom) / 2 },
    side: Math.max(right - left, bottom - top) * 1.5,
    roll: Math.atan2(other.y - eye.y, other.x - eye.x),
  };
}

function judgePose(points: readonly Point[]): { eyeSpan: number; turn: number } {
  const between = (one: number, other: number) =>
    Math.hypot(points[one]!.x - points[other]!.x, points[one]!.y - points[other]!.y);
  const [left, right] = [
    between(facePoints.noseTip, facePoints.leftSide),
    between(facePoints.noseTip, facePoints.rightSide),
  ];
  return {
    eyeSpan: between(facePoints.leftEyeCorner, facePoints.rightEyeCorner),
    turn: Math.abs(left - right) / (left + right),
  };
}
