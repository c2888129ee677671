import type { Hour } from './plan-landscape.ts';

/** A canvas: sRGB from 0 to 1, row by row. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly rgb: Float32Array;
}

export type Rgb = readonly [number, number, number];

/** The colours of a time of day, in sRGB. */
export interface Light {
  /** From the zenith to the horizon. */
  readonly sky: readonly [Rgb, Rgb, Rgb, Rgb];
  /** Around the sun or moon. */
  readonly glow: Rgb;
  readonly disc: Rgb;
  readonly haze: Rgb;
  /** The colour of lit slopes, and the tint of shadows. */
  readonly lit: Rgb;
  readonly shade: Rgb;
  readonly cloud: Rgb;
  /** Height of the sun: 0 at the horizon, 1 at the top. */
  readonly height: number;
  readonly discSize: number;
}

const rgb = (text: string): Rgb => {
  const value = Number.parseInt(text, 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
};

/** Each time of day has several variants; the seed selects one. */
export const lights: Readonly<Record<Hour, readonly Light[]>> = {
  dawn: [
    {
      sky: [rgb('3b5b92'), rgb('8fa3cf'), rgb('f3b9ae'), rgb('ffe3bf')],
      glow: rgb('ffd9a0'),
      disc: rgb('fff4da'),
      haze: rgb('f2cfc4'),
      lit: rgb('ffd9b8'),
      shade: rgb('4a4f7c'),
      cloud: rgb('ffd3c2'),
      height: 0.16,
      discSize: 0.03,
    },
    {
      sky: [rgb('2f4b7c'), rgb('6a87b8'), rgb('c9b8d8'), rgb('ffd9cc')],
      glow: rgb('ffc9b0'),
      disc: rgb('fff0e4'),
      haze: rgb('d9c6dc'),
      lit: rgb('ffcfc0'),
      shade: rgb('3f4774'),
      cloud: rgb('f6c4cb'),
      height: 0.12,
      discSize: 0.028,
    },
  ],
  day: [
    {
      sky: [rgb('2b6cb8'), rgb('5b9bd8'), rgb('a5cdec'), rgb('e3f0f5')],
      glow: rgb('fff8e0'),
      disc: rgb('ffffff'),
      haze: rgb('c3dcec'),
      lit: rgb('fff6dc'),
      shade: rgb('3d5878'),
      cloud: rgb('ffffff'),
      height: 0.78,
      discSize: 0.022,
    },
    {
      sky: [rgb('3a7fc4'), rgb('77b2df'), rgb('bfe0ef'), rgb('f4f3e4')],
      glow: rgb('fffbe8'),
      disc: rgb('ffffff'),
      haze: rgb('d3e5ea'),
      lit: rgb('fff3d0'),
      shade: rgb('466479'),
      cloud: rgb('ffffff'),
      height: 0.66,
      discSize: 0.022,
    },
  ],
  sunset: [
    {
      sky: [rgb('33285e'), rgb('8a3f7c'), rgb('ee6a5a'), rgb('ffc36b')],
      glow: rgb('ffb347'),
      disc: rgb('fff1c9'),
      haze: rgb('f08a6c'),
      lit: rgb('ffb16e'),
      shade: rgb('3a2458'),
      cloud: rgb('ff8f70'),
      height: 0.1,
      discSize: 0.045,
    },
    {
      sky: [rgb('1f3358'), rgb('6b5b8e'), rgb('e88b6d'), rgb('ffd79a')],
      glow: rgb('ffca7a'),
      disc: rgb('fff3d6'),
      haze: rgb('e2a184'),
      lit: rgb('ffc48a'),
      shade: rgb('33305c'),
      cloud: rgb('f7a184'),
      height: 0.13,
      discSize: 0.038,
    },
    {
      sky: [rgb('4a1f4f'), rgb('b13a5e'), rgb('f7775a'), rgb('ffe08a')],
      glow: rgb('ffd166'),
      disc: rgb('fff6d8'),
      haze: rgb('f2937a'),
      lit: rgb('ffbf80'),
      shade: rgb('43204f'),
      cloud: rgb('ff9c8a'),
      height: 0.09,
      discSize: 0.05,
    },
  ],
  night: [
    {
      sky: [rgb('060b1f'), rgb('0e1a3d'), rgb('1f3564'), rgb('3d5a8c')],
      glow: rgb('a9c3ee'),
      disc: rgb('f7fbff'),
      haze: rgb('31497a'),
      lit: rgb('a7bde6'),
      shade: rgb('070d22'),
      cloud: rgb('4a618f'),
      height: 0.62,
      discSize: 0.032,
    },
    {
      sky: [rgb('0b0a24'), rgb('1a1748'), rgb('3a2f70'), rgb('6a5296')],
      glow: rgb('d6c4ff'),
      disc: rgb('fffaf2'),
      haze: rgb('473a78'),
      lit: rgb('c0b2ec'),
      shade: rgb('0c0a24'),
      cloud: rgb('5a4c8c'),
      height: 0.55,
      discSize: 0.036,
    },
  ],
};

export function blend(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

export function tint(colour: Rgb, by: Rgb): Rgb {
  return [colour[0] * by[0], colour[1] * by[1], colour[2] * by[2]];
}
