import type { Colour } from '../mesh/solid-model.ts';
import type { Finish } from './build-icon.ts';

const mix = (a: Colour, b: Colour, share: number): Colour => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];
const brightness = ([red, green, blue]: Colour): number => 0.3 * red + 0.59 * green + 0.11 * blue;
const between = (dark: Colour, light: Colour) => (colour: Colour) => mix(dark, light, brightness(colour));

/** The values of the palette param. */
export const palettes = {
  original: { paint: (colour) => colour, metallic: 0, roughness: 0.42 },
  pastel: { paint: (colour) => mix(colour, [1, 0.96, 0.94], 0.48), metallic: 0, roughness: 0.6 },
  clay: { paint: between([0.5, 0.47, 0.45], [0.96, 0.94, 0.92]), metallic: 0, roughness: 0.85 },
  midnight: { paint: between([0.05, 0.06, 0.2], [0.56, 0.64, 1]), metallic: 0, roughness: 0.35 },
  gold: { paint: between([0.72, 0.42, 0.08], [1, 0.84, 0.42]), metallic: 1, roughness: 0.28 },
  silver: { paint: between([0.45, 0.47, 0.52], [0.96, 0.97, 0.99]), metallic: 1, roughness: 0.26 },
} as const satisfies Record<string, Finish>;

export type PaletteName = keyof typeof palettes;
