import sharp, { type Sharp } from 'sharp';
import { pasteCell } from './paste-cell.ts';

const FRAME = { width: 720, height: 480 };
const GAP = 28;
const EDGE = 92;
const HOLE = { width: 34, height: 46, step: 74, radius: 8 };

/** The images as frames of a 35 mm film strip. A single image fills three frames. */
export async function filmStrip(paths: readonly string[]): Promise<Sharp> {
  const frames = paths.length === 1 ? [paths[0]!, paths[0]!, paths[0]!] : paths;
  const width = frames.length * (FRAME.width + GAP) + GAP;
  const height = FRAME.height + EDGE * 2;
  const cells = [];
  for (const [index, path] of frames.entries())
    cells.push(await pasteCell(path, { left: GAP + index * (FRAME.width + GAP), top: EDGE, ...FRAME }));
  return sharp({ create: { width, height, channels: 3, background: '#14110f' } }).composite([
    ...cells,
    { input: drawEdges({ width, height, frames: frames.length }) },
  ]);
}

function drawEdges({ width, height, frames }: { width: number; height: number; frames: number }): Buffer {
  const holes: string[] = [];
  for (let x = HOLE.step / 2; x < width; x += HOLE.step) {
    for (const y of [EDGE / 2, height - EDGE / 2]) {
      holes.push(
        `<rect x="${x - HOLE.width / 2}" y="${y - HOLE.height / 2}" width="${HOLE.width}" height="${HOLE.height}" rx="${HOLE.radius}"/>`,
      );
    }
  }
  const marks = Array.from({ length: frames - 1 }, (_, index) => {
    const x = GAP / 2 + (index + 1) * (FRAME.width + GAP);
    return `<path d="M${x} ${EDGE + 8}v${FRAME.height - 16}" stroke="#e9a23b" stroke-opacity="0.35" stroke-width="2"/>`;
  });
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g fill="#f4efe6">${holes.join('')}</g>${marks.join('')}</svg>`,
  );
}
