/** Height of the bulge relative to half the width: 1 would be round. */
const BULGE = 0.45;
const ROUNDS_PER_SIDE = 3;

/** A field of values on a grid's nodes, row by row. */
export interface Field {
  readonly values: Float32Array;
  readonly width: number;
  readonly height: number;
}

/**
 * The height of an inflated surface over the area above 0.5: the square root of the solution of Poisson's equation with
 * zero at the rim, which is a hemisphere over a disc.
 */
export function inflateMatte({ values, width, height }: Field): Field {
  const swell = new Float32Array(values.length);
  const inside: number[] = [];
  for (let at = 0; at < values.length; at++) if (values[at]! > 0.5 && !onBorder(at, width, height)) inside.push(at);
  const over = 2 / (1 + Math.PI / Math.max(width, height));
  for (let round = 0; round < ROUNDS_PER_SIDE * Math.max(width, height); round++) {
    for (const at of inside) {
      const around = (swell[at - 1]! + swell[at + 1]! + swell[at - width]! + swell[at + width]! + 4) / 4;
      swell[at] = swell[at]! + over * (around - swell[at]!);
    }
  }
  return { values: swell.map((value) => BULGE * Math.sqrt(Math.max(0, value))), width, height };
}

export function onBorder(at: number, width: number, height: number): boolean {
  const column = at % width;
  return column === 0 || column === width - 1 || at < width || at >= width * (height - 1);
}
