import { EngineRefusal } from '../engine.ts';
import type { CameraMoveName } from './camera-moves.ts';

/** The only words that mean something here. */
const WORDS: readonly (readonly [RegExp, CameraMoveName])[] = [
  [/\b(zoom|push|move|dolly)(ing)?[ -]in\b|\bcloser\b/i, 'push-in'],
  [/\b(zoom|pull|move|dolly)(ing)?[ -](out|back)\b|\bfarther\b/i, 'pull-out'],
  [/\b(drift|pan|move|slide|truck)\w*( to the)? left\b/i, 'drift-left'],
  [/\b(drift|pan|move|slide|truck)\w*( to the)? right\b/i, 'drift-right'],
  [/\b(rise|rising|crane|tilt)\b/i, 'rise'],
  [/\b(orbit|circle|circling|around)\b/i, 'orbit'],
];

/** The camera move that a prompt asks for. Any other wish is refused: only the camera moves here. */
export function readMove(prompt: string): CameraMoveName {
  const found = WORDS.filter(([words]) => words.test(prompt));
  if (found.length === 1) return found[0]![1];
  throw new EngineRefusal(
    'This model moves the camera and nothing in the picture. The prompt may say: push in, pull out, drift left, drift right, rise or orbit; or leave it out.',
  );
}
