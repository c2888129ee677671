import { EngineRefusal } from '../engine.ts';
import type { CameraMoveName } from './camera-moves.ts';

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
