import { randomStream } from '../render-request.ts';

/** Hex colours of one scene, from far to near. */
export interface Palette {
  readonly skyTop: string;
  readonly skyBottom: string;
  readonly orb: string;
  readonly far: string;
  readonly middle: string;
  readonly near: string;
}

const DUSK: Palette = {
  skyTop: '#2b2d5b',
  skyBottom: '#f3a683',
  orb: '#ffe3b0',
  far: '#a5668b',
  middle: '#6b3f70',
  near: '#2e1f45',
};

const PALETTES: readonly Palette[] = [
  DUSK,
  {
    skyTop: '#0f4c75',
    skyBottom: '#a8e6cf',
    orb: '#fff3c4',
    far: '#4fa3a5',
    middle: '#2a7886',
    near: '#12404f',
  },
  {
    skyTop: '#d9735a',
    skyBottom: '#fbe3b5',
    orb: '#fff7e0',
    far: '#dd8560',
    middle: '#a94f4b',
    near: '#5c2b3a',
  },
  {
    skyTop: '#1f5c56',
    skyBottom: '#d8ecb9',
    orb: '#fdf6c9',
    far: '#7fb483',
    middle: '#3d7a5c',
    near: '#173f38',
  },
  {
    skyTop: '#0b1036',
    skyBottom: '#5fd3bc',
    orb: '#d7fff1',
    far: '#3a7ca5',
    middle: '#274a7a',
    near: '#101b3f',
  },
  {
    skyTop: '#5b4b8a',
    skyBottom: '#ffc8dd',
    orb: '#fff0f5',
    far: '#cf8bbb',
    middle: '#8a4f8f',
    near: '#40265c',
  },
  {
    skyTop: '#35507a',
    skyBottom: '#fbd786',
    orb: '#fff4d1',
    far: '#d99a52',
    middle: '#9c5a3c',
    near: '#4a2b2b',
  },
];

export function paletteFor(words: string): Palette {
  return PALETTES[Math.floor(randomStream(words)() * PALETTES.length)] ?? DUSK;
}
