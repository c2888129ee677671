import { resolve } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { drawBackdrop } from '../../cutout/draw-backdrop.ts';
import { layOver, type Picture } from '../picture.ts';

export const inputPath = (name: string) => resolve(import.meta.dirname, '../../../../../gallery/inputs', name);
const SIDE = 512;

export interface Composite {
  readonly name: string;
  readonly picture: Picture;
  /** The alpha that the image was composed with. */
  readonly truth: Buffer;
}

const photo = (name: string, blur: number) =>
  sharp(inputPath(name)).resize(SIDE, SIDE, { fit: 'cover' }).blur(blur).removeAlpha().raw().toBuffer();

async function backgrounds(): Promise<Array<readonly [string, Picture]>> {
  const size = { width: SIDE, height: SIDE };
  return [
    ['studio', await drawBackdrop({ style: 'studio', palette: 'grey', ...size, seed: 3 })],
    ['bokeh', await drawBackdrop({ style: 'bokeh', palette: 'green', ...size, seed: 5 })],
    ['night sky', { rgb: await photo('rocket.jpg', 6), ...size }],
  ];
}

async function readLayers(image: Sharp): Promise<Picture & { alpha: Buffer }> {
  const rgba = await image.resize(SIDE, SIDE, { fit: 'fill' }).ensureAlpha().raw().toBuffer();
  const [rgb, alpha] = [Buffer.alloc(SIDE * SIDE * 3), Buffer.alloc(SIDE * SIDE)];
  for (let i = 0; i < alpha.length; i++) {
    rgba.copy(rgb, i * 3, i * 4, i * 4 + 3);
    alpha[i] = rgba[i * 4 + 3]!;
  }
  return { rgb, alpha, width: SIDE, height: SIDE };
}

async function combine(subject: string, layers: Picture & { alpha: Buffer }): Promise<Composite[]> {
  return (await backgrounds()).map(([name, background]) => ({
    name: `${subject} before ${name}`,
    picture: layOver(background, layers),
    truth: layers.alpha,
  }));
}

/** A person with a known outline in front of other backgrounds. */
export async function drawPeople(): Promise<Composite[]> {
  const alpha = await sharp(resolve(import.meta.dirname, 'portrait-alpha.png'))
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const rgb = await photo('portrait.jpg', 0.3);
  return combine('person', { rgb, alpha, width: SIDE, height: SIDE });
}

/** Objects drawn from curves. */
export async function drawThings(): Promise<Composite[]> {
  const vase = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">
    <defs><linearGradient id="g"><stop offset="0" stop-color="#7c2d12"/><stop offset=".4" stop-color="#fb923c"/><stop offset="1" stop-color="#431407"/></linearGradient></defs>
    <path d="M210 90 h92 q-6 60 50 120 q70 90 10 210 q-4 14 -30 14 h-152 q-26 0 -30 -14 q-60 -120 10 -210 q56 -60 50 -120 z" fill="url(#g)"/>
    <ellipse cx="256" cy="90" rx="46" ry="12" fill="#2b0d04"/><path d="M150 290 q106 40 212 0" stroke="#fde68a" stroke-width="14" fill="none"/></svg>`;
  const mug = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">
    <defs><linearGradient id="g"><stop offset="0" stop-color="#1e40af"/><stop offset=".35" stop-color="#93c5fd"/><stop offset="1" stop-color="#172554"/></linearGradient></defs>
    <path d="M330 200 q110 -10 100 80 q-10 90 -110 80" stroke="#1d4ed8" stroke-width="30" fill="none"/>
    <path d="M120 150 v230 q0 50 110 50 q110 0 110 -50 v-230 z" fill="url(#g)"/><ellipse cx="230" cy="150" rx="110" ry="34" fill="#eff6ff"/><ellipse cx="230" cy="156" rx="92" ry="24" fill="#3b2312"/></svg>`;
  const drawn = await Promise.all(
    Object.entries({ vase, mug }).map(async ([name, svg]) =>
      combine(name, await readLayers(sharp(Buffer.from(svg), { density: 144 }))),
    ),
  );
  return drawn.flat();
}
