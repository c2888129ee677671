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

/** Below this the background shows through; such pixels take the colour of the nearby subject. */
const SOLID_ALPHA = 235;

/** Extends the subject's colours outwards, so that the rim of the model does not show the background. */
export function spreadColours(options: { rgb: Buffer; alpha: Buffer; width: number; height: number }): Buffer {
  const { alpha, width, height } = options;
  const rgb = Buffer.from(options.rgb);
  const known = new Uint8Array(width * height);
  let front: number[] = [];
  for (let at = 0; at < known.length; at++) if (alpha[at]! >= SOLID_ALPHA) known[at] = 1;
  for (let at = 0; at < known.length; at++) if (known[at] === 1) front.push(at);
  while (front.length > 0) {
    const next: number[] = [];
    for (const at of front) {
      const [column, row] = [at % width, Math.floor(at / width)];
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        if (column + dx < 0 || column + dx >= width || row + dy < 0 || row + dy >= height) continue;
        const other = at + dy * width + dx;
        if (known[other] === 1) continue;
        known[other] = 1;
        rgb.copyWithin(other * 3, at * 3, at * 3 + 3);
        next.push(other);
      }
    }
    front = next;
  }
  return rgb;
}

/** Islands and holes smaller than this, relative to the largest shape, are specks. */
const SPECK_SHARE = 0.02;

/** Removes small islands from the matte and fills small holes. */
export function keepMainShapes(field: Field): Field {
  const values = Float32Array.from(field.values);
  const regions = findRegions(field);
  const largest = Math.max(0, ...regions.filter(({ inside }) => inside).map(({ cells }) => cells.length));
  for (const { inside, cells, touchesBorder } of regions) {
    if (cells.length >= largest * SPECK_SHARE || (!inside && touchesBorder)) continue;
    for (const cell of cells) values[cell] = inside ? 0 : 1;
  }
  return { ...field, values };
}

function findRegions({
  values,
  width,
  height,
}: Field): Array<{ inside: boolean; cells: number[]; touchesBorder: boolean }> {
  const seen = new Uint8Array(values.length);
  const regions: Array<{ inside: boolean; cells: number[]; touchesBorder: boolean }> = [];
  for (let start = 0; start < values.length; start++) {
    if (seen[start] === 1) continue;
    const inside = values[start]! > 0.5;
    const cells = [start];
    let touchesBorder = false;
    seen[start] = 1;
    for (let next = 0; next < cells.length; next++) {
      const at = cells[next]!;
      const [column, row] = [at % width, Math.floor(at / width)];
      touchesBorder ||= column === 0 || row === 0 || column === width - 1 || row === height - 1;
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        if (column + dx < 0 || column + dx >= width || row + dy < 0 || row + dy >= height) continue;
        const other = at + dy * width + dx;
        if (seen[other] === 1 || values[other]! > 0.5 !== inside) continue;
        seen[other] = 1;
        cells.push(other);
      }
    }
    regions.push({ inside, cells, touchesBorder });
  }
  return regions;
}
