import type { Colour, FlatShape, SolidModel, SolidPart } from '../mesh/solid-model.ts';
import { containsPoint, type FillRule, groupContours } from './contours.ts';
import { extrudeShape } from './extrude-shape.ts';
import { ICON_SIDE, type IconLayer } from './read-icon.ts';

/** All relative to the side of the drawing. */
const BODY_THICKNESS = 0.2;
const STEP_PER_LEVEL = 0.026;
const MAX_LEVELS = 9;
const BODY_BEVEL = 0.05;
const LAYER_BEVEL = 0.016;
/** Upper layers are inset slightly, so that walls of two colours do not share a plane. */
const INSET_PER_LEVEL = 0.0022;
const GRID = 64;
/** Adjacent shapes do not count as stacked. */
const MIN_OVERLAP_CELLS = 3;

export interface Finish {
  /** Maps each colour of the drawing. */
  paint(colour: Colour): Colour;
  readonly metallic: number;
  readonly roughness: number;
}

/** Each layer of the drawing as a body; a layer on top of another is thicker and protrudes at front and back. */
export function buildIcon(layers: readonly IconLayer[], options: { finish: Finish; bevelSteps: number }): SolidModel {
  const levels = stackLayers(
    layers.map(({ contours, fillRule }) => groupContours(contours, fillRule as FillRule, ICON_SIDE)),
  );
  const highest = Math.max(1, ...levels.map(({ level }) => level));
  const step = Math.min(STEP_PER_LEVEL, (STEP_PER_LEVEL * MAX_LEVELS) / highest);
  const parts = levels.flatMap(({ shapes, level, layer }) =>
    shapes.map((shape): SolidPart => {
      const body = extrudeShape(shape, {
        thickness: (BODY_THICKNESS + 2 * step * level) * ICON_SIDE,
        bevel: (level === 0 ? BODY_BEVEL : LAYER_BEVEL) * ICON_SIDE,
        inset: INSET_PER_LEVEL * level * ICON_SIDE,
        bevelSteps: options.bevelSteps,
      });
      const { finish } = options;
      return {
        ...body,
        colour: finish.paint(layers[layer]!.colour),
        metallic: finish.metallic,
        roughness: finish.roughness,
      };
    }),
  );
  return { parts };
}

/** A layer's level is one more than the highest level that it partly covers. */
function stackLayers(
  layers: ReadonlyArray<readonly FlatShape[]>,
): Array<{ shapes: readonly FlatShape[]; level: number; layer: number }> {
  const ground = new Int16Array(GRID * GRID).fill(-1);
  return layers.map((shapes, layer) => {
    const cells = coveredCells(shapes);
    const counts = new Map<number, number>();
    for (const cell of cells) counts.set(ground[cell]!, (counts.get(ground[cell]!) ?? 0) + 1);
    const under = [...counts].filter(
      ([level, count]) => level >= 0 && count >= Math.min(MIN_OVERLAP_CELLS, cells.length / 2),
    );
    const level = Math.max(-1, ...under.map(([each]) => each)) + 1;
    for (const cell of cells) ground[cell] = Math.max(ground[cell]!, level);
    return { shapes, level, layer };
  });
}

function coveredCells(shapes: readonly FlatShape[]): number[] {
  const cells: number[] = [];
  for (let row = 0; row < GRID; row++) {
    for (let column = 0; column < GRID; column++) {
      const [x, y] = [((column + 0.5) * ICON_SIDE) / GRID, ((row + 0.5) * ICON_SIDE) / GRID];
      const covers = ({ outline, holes }: FlatShape) =>
        containsPoint(outline, x, y) && !holes.some((hole) => containsPoint(hole, x, y));
      if (shapes.some(covers)) cells.push(row * GRID + column);
    }
  }
  return cells;
}
