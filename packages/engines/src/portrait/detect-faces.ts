import type { Picture } from '../image/picture.ts';
import type { Point } from './face-mesh.ts';
import type { Graph } from './open-graph.ts';
import { sampleSquare } from './sample-square.ts';

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
