import type { Tensor } from '@tensorflow/tfjs';
import { type EngineKit, EngineRefusal } from '../engine.ts';
import type { Picture } from '../image/picture.ts';
import { detectFaces } from './detect-faces.ts';
import { type FaceMesh, facePoints, faceRings, type Point } from './face-mesh.ts';
import { openGraph } from './open-graph.ts';
import { fromSquare, type Square, sampleSquare } from './sample-square.ts';

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
