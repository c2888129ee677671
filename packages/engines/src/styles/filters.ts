/**
 * The G'MIC arguments of each preset. Customers choose a name, never a number. `scale` is 1 for an image with a longest side
 * of 600 pixels, so that strokes keep their relative size.
 */
export interface Filter {
  /** Larger images are scaled down first: the time grows with the pixels. */
  readonly maxSide: number;
  readonly steps: (scale: number) => readonly string[];
}

const px = (value: number, scale: number) => String(Math.max(1, Math.round(value * scale)));
const num = (value: number, scale: number) => (value * scale).toFixed(2);
/** Converts to 8-bit integers: anything else would be written as a 16-bit PNG. */
const RANGE = ['cut', '0,255', 'round'] as const;

export const filters = {
  pencil: {
    maxSide: 2_048,
    steps: (scale) => ['to_gray', 'pencilbw', `${num(0.45, scale)},50`, 'cut', '0,255', 'apply_gamma', '2', ...RANGE],
  },
  'coloured-pencil': {
    maxSide: 2_048,
    steps: (scale) => [
      '+to_gray',
      ...['pencilbw[-1]', `${num(0.5, scale)},60`, 'cut[-1]', '0,255', 'apply_gamma[-1]', '2'],
      // The drawing replaces the brightness of the image and keeps its colours.
      ...['rgb2ycbcr[0]', 'split[0]', 'c', 'remove[0]'],
      ...['sub[0,1]', '128', 'mul[0,1]', '1.5', 'add[0,1]', '128', 'cut[0,1]', '0,255'],
      ...['move[-1]', '0', 'append', 'c', 'ycbcr2rgb', ...RANGE],
    ],
  },
  charcoal: {
    maxSide: 2_048,
    steps: (scale) => [
      ...['to_gray', 'pencilbw', `${num(2.2, scale)},70`, 'cut', '0,255', 'apply_gamma', '1.3'],
      ...['+fill', '128', 'noise[-1]', '60', 'blur[-1]', num(0.9, scale), 'normalize[-1]', '90,165'],
      ...['blend', 'softlight', ...RANGE],
    ],
  },
  ink: {
    maxSide: 1_280,
    steps: () => ['fx_engrave', '0.5,50,0,8,40,0,0,0,10,1,0,0,0,1,0', ...RANGE],
  },
  'ink-wash': {
    maxSide: 1_600,
    steps: () => ['fx_ink_wash', '0.14,23,0,0.5,0.54,2.25,0,2,6,5,20,0', ...RANGE],
  },
  'pen-drawing': { maxSide: 1_600, steps: () => ['fx_pen_drawing', '10', ...RANGE] },
  'felt-pen': { maxSide: 1_600, steps: () => ['fx_feltpen', '300,50,1,0.1,20,5,0', ...RANGE] },
  'oil-painting': {
    maxSide: 900,
    steps: () => ['fx_brushify', '7,0.25,4,64,25,12,0,2,4,0.2,0.5,30,1,1,1,5,0,0.2,1', ...RANGE],
  },
  'soft-paint': { maxSide: 1_600, steps: (scale) => ['kuwahara', px(5, scale), 'sharpen', '60', ...RANGE] },
  'poster-edges': { maxSide: 1_600, steps: () => ['poster_edges', '40,5,0.5,0,2,0', ...RANGE] },
  cartoon: { maxSide: 1_600, steps: () => ['cartoon', '3,150,20,0.25,1.5,8', ...RANGE] },
  cubism: { maxSide: 1_600, steps: (scale) => ['cubism', `90,${px(15, scale)},50,0.7,0`, ...RANGE] },
  halftone: { maxSide: 1_600, steps: (scale) => ['halftone', `5,${px(10, scale)},${px(10, scale)},5,0.1`, ...RANGE] },
  whirls: { maxSide: 1_600, steps: () => ['whirls', '7,2,0.2,1.8', ...RANGE] },
  'feather-strokes': { maxSide: 1_280, steps: () => ['rodilius', '10,10,300,5,30,0', ...RANGE] },
  'pop-art': { maxSide: 1_600, steps: () => ['warhol', '3,3', ...RANGE] },
  'old-photo': { maxSide: 1_600, steps: () => ['old_photo', ...RANGE] },
} as const satisfies Record<string, Filter>;

export type FilterName = keyof typeof filters;

export function findFilter(name: unknown): Filter | undefined {
  return typeof name === 'string' && Object.hasOwn(filters, name) ? filters[name as FilterName] : undefined;
}
