import sharp, { type Sharp } from 'sharp';
import { loadPicture } from '../load-picture.ts';

const MAX_SIDE = 1_200;
/** Relative to the longest side. */
const MAT = 0.11;
const MOULDING = 0.035;
const WALL = 0.14;

/** The image with a white mat in a dark wooden frame on a wall. */
export async function galleryFrame(paths: readonly string[]): Promise<Sharp> {
  const { picture, width, height } = await loadPicture({ path: paths[0]!, maxSide: MAX_SIDE });
  const side = Math.max(width, height);
  const [mat, wood, wall] = [MAT, MOULDING, WALL].map((part) => Math.round(side * part)) as [number, number, number];
  const inset = wall + wood + mat;
  const size = { width: width + inset * 2, height: height + inset * 2 };
  return sharp(Buffer.from(drawWall({ size, mat, wood, wall }))).composite([
    { input: await picture.png().toBuffer(), left: inset, top: inset },
    { input: Buffer.from(drawBevel({ size, inset, width, height })) },
  ]);
}

interface Parts {
  readonly size: { readonly width: number; readonly height: number };
  readonly mat: number;
  readonly wood: number;
  readonly wall: number;
}

function drawWall({ size, mat, wood, wall }: Parts): string {
  const box = (from: number) =>
    `x="${from}" y="${from}" width="${size.width - from * 2}" height="${size.height - from * 2}"`;
  const blur = Math.round(mat / 3);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><defs>` +
    '<linearGradient id="wall" x2="0.4" y2="1"><stop stop-color="#efeae2"/><stop offset="1" stop-color="#cfc6b8"/></linearGradient>' +
    '<linearGradient id="wood" x2="1" y2="1"><stop stop-color="#6b4a30"/><stop offset="0.5" stop-color="#3f2a1a"/><stop offset="1" stop-color="#2a1b10"/></linearGradient>' +
    `<filter id="soft" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="${blur}"/></filter></defs>` +
    '<rect width="100%" height="100%" fill="url(#wall)"/>' +
    `<rect ${box(wall)} fill="#000" fill-opacity="0.45" filter="url(#soft)" transform="translate(${blur} ${blur * 2})"/>` +
    `<rect ${box(wall)} fill="url(#wood)"/>` +
    `<rect ${box(wall + Math.round(wood * 0.3))} fill="none" stroke="#8a6444" stroke-opacity="0.6" stroke-width="${Math.max(1, Math.round(wood * 0.08))}"/>` +
    `<rect ${box(wall + wood)} fill="#f8f6f1"/></svg>`
  );
}

function drawBevel(options: { size: Parts['size']; inset: number; width: number; height: number }): string {
  const { size, inset, width, height } = options;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">` +
    `<rect x="${inset - 3}" y="${inset - 3}" width="${width + 6}" height="${height + 6}" fill="none" stroke="#b9b2a6" stroke-width="3"/></svg>`
  );
}
