export type Colour = readonly [red: number, green: number, blue: number];

/** The colours of each `palette` value: of a backdrop in the light and in the shade. */
export const PALETTES: Readonly<Record<string, { light: Colour; shade: Colour }>> = {
  white: { light: [255, 255, 255], shade: [222, 224, 228] },
  grey: { light: [206, 209, 214], shade: [128, 133, 141] },
  black: { light: [62, 64, 70], shade: [12, 12, 15] },
  blue: { light: [168, 205, 240], shade: [58, 104, 168] },
  green: { light: [190, 222, 188], shade: [70, 124, 88] },
  sand: { light: [243, 229, 206], shade: [193, 160, 118] },
  rose: { light: [250, 218, 220], shade: [204, 130, 143] },
  violet: { light: [214, 200, 240], shade: [104, 84, 160] },
};

export function mixColours(from: Colour, to: Colour, part: number): Colour {
  const at = Math.min(1, Math.max(0, part));
  return [from[0] + (to[0] - from[0]) * at, from[1] + (to[1] - from[1]) * at, from[2] + (to[2] - from[2]) * at];
}
