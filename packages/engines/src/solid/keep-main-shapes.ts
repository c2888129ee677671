import type { Field } from './inflate-matte.ts';

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
