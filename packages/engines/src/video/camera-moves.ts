import { EngineRefusal } from '../engine.ts';

/** The placement of a layer in a frame: scale, and offset relative to the frame's sides. */
export interface LayerPlace {
  readonly zoom: number;
  readonly dx: number;
  readonly dy: number;
}
interface CameraView {
  readonly back: LayerPlace;
  /** Null if the image moves as a whole. */
  readonly front: LayerPlace | null;
}
type CameraMove = (part: number) => CameraView;

/**
 * The progress of a move is 0 at the first frame and 1 at the last. A layer moves by at most half of the margin that its
 * zoom adds, so that its edge is never visible. Near layers move more than far ones.
 */
export const cameraMoves = {
  'push-in': (part) => layers({ back: [1.04 + 0.05 * part], front: [1.04 + 0.19 * part] }),
  'pull-out': (part) => layers({ back: [1.09 - 0.05 * part], front: [1.23 - 0.19 * part] }),
  'drift-left': (part) => layers({ back: [1.08, 0.035 - 0.07 * part], front: [1.18, 0.085 - 0.17 * part] }),
  'drift-right': (part) => layers({ back: [1.08, 0.07 * part - 0.035], front: [1.18, 0.17 * part - 0.085] }),
  rise: (part) => layers({ back: [1.1, 0, 0.045 - 0.09 * part], front: [1.16, 0, 0.07 - 0.14 * part] }),
  orbit: (part) => {
    const [across, down] = [Math.sin(2 * Math.PI * part), Math.cos(2 * Math.PI * part)];
    return layers({ back: [1.07, -0.02 * across, -0.012 * down], front: [1.15, 0.05 * across, 0.02 * down] });
  },
  'ken-burns-in': (part) => ({ back: place([1 + 0.25 * part]), front: null }),
  'ken-burns-out': (part) => ({ back: place([1.25 - 0.25 * part]), front: null }),
  'ken-burns-pan': (part) => ({ back: place([1.2, 0.095 - 0.19 * part]), front: null }),
} as const satisfies Record<string, CameraMove>;

export type CameraMoveName = keyof typeof cameraMoves;

type Figures = readonly [zoom: number, dx?: number, dy?: number];

function layers({ back, front }: { back: Figures; front: Figures }): CameraView {
  return { back: place(back), front: place(front) };
}

function place([zoom, dx = 0, dy = 0]: Figures): LayerPlace {
  return { zoom, dx, dy };
}

/** Ease-in and ease-out; the orbit is linear. */
export function easePart(name: CameraMoveName, part: number): number {
  return name === 'orbit' ? part : part * part * (3 - 2 * part);
}

/** The supported words. */
const WORDS: readonly (readonly [RegExp, CameraMoveName])[] = [
  [/\b(zoom|push|move|dolly)(ing)?[ -]in\b|\bcloser\b/i, 'push-in'],
  [/\b(zoom|pull|move|dolly)(ing)?[ -](out|back)\b|\bfarther\b/i, 'pull-out'],
  [/\b(drift|pan|move|slide|truck)\w*( to the)? left\b/i, 'drift-left'],
  [/\b(drift|pan|move|slide|truck)\w*( to the)? right\b/i, 'drift-right'],
  [/\b(rise|rising|crane|tilt)\b/i, 'rise'],
  [/\b(orbit|circle|circling|around)\b/i, 'orbit'],
];

/** The camera move that a prompt requests. Anything else is refused: only the camera moves. */
export function readMove(prompt: string): CameraMoveName {
  const found = WORDS.filter(([words]) => words.test(prompt));
  if (found.length === 1) return found[0]![1];
  throw new EngineRefusal(
    'This model moves only the camera. Use one of these prompts: push in, pull out, drift left, drift right, rise, orbit; or omit the prompt.',
  );
}
