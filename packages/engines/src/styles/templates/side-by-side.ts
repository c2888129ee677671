import sharp, { type Sharp } from 'sharp';
import { pasteCell } from './paste-cell.ts';

const GAP = 24;
const ROW_HEIGHT = 900;
const MIN_CELL_WIDTH = 500;
const MAX_CELL_WIDTH = 1_500;
const MAX_WIDTH = 3_200;

/** The images in one row of equal height, each in its own aspect ratio, with an even white frame. */
export async function sideBySide(paths: readonly string[]): Promise<Sharp> {
  const shapes: number[] = [];
  for (const path of paths) {
    const { autoOrient } = await sharp(path).metadata();
    shapes.push(autoOrient.width / autoOrient.height);
  }
  const wanted = shapes.map((shape) => Math.min(MAX_CELL_WIDTH, Math.max(MIN_CELL_WIDTH, shape * ROW_HEIGHT)));
  const total = wanted.reduce((sum, width) => sum + width, 0);
  const room = MAX_WIDTH - GAP * (paths.length + 1);
  const shrink = Math.min(1, room / total);
  const height = Math.round(ROW_HEIGHT * shrink);
  const cells = [];
  let left = GAP;
  for (const [index, path] of paths.entries()) {
    const width = Math.round(wanted[index]! * shrink);
    cells.push(await pasteCell(path, { left, top: GAP, width, height }));
    left += width + GAP;
  }
  return sharp({
    create: { width: left, height: height + GAP * 2, channels: 3, background: '#ffffff' },
  }).composite(cells);
}
