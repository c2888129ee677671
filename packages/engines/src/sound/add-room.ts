import { filter, RATE, type Signal, type Stereo } from '../audio/signal.ts';

/** Echo delays for each channel, in seconds, without common divisors. */
const WALLS = { left: [0.0297, 0.0371, 0.0411, 0.0437], right: [0.0309, 0.0353, 0.0419, 0.0461] };
const SMEARS = [0.005, 0.0017];
const TONE_HERTZ = 4_200;

/** A simple reverb: four comb filters followed by diffusion. `share` sets its level and length. */
export function addRoom(dry: Stereo, share: number): Stereo {
  if (share <= 0) return dry;
  return { left: answer(dry.left, WALLS.left, share), right: answer(dry.right, WALLS.right, share) };
}

function answer(dry: Signal, walls: readonly number[], share: number): Signal {
  const feedback = 0.62 + 0.28 * share;
  const wet = new Float32Array(dry.length);
  for (const seconds of walls) {
    const ring = new Float32Array(Math.round(seconds * RATE));
    const soft = filter('low');
    for (let at = 0; at < dry.length; at++) {
      const place = at % ring.length;
      const echo = ring[place]!;
      ring[place] = dry[at]! + feedback * soft(echo, TONE_HERTZ);
      wet[at]! += echo / walls.length;
    }
  }
  for (const seconds of SMEARS) {
    const ring = new Float32Array(Math.round(seconds * RATE));
    for (let at = 0; at < wet.length; at++) {
      const place = at % ring.length;
      const [before, value] = [ring[place]!, wet[at]!];
      ring[place] = value + 0.6 * before;
      wet[at] = before - 0.6 * ring[place]!;
    }
  }
  return dry.map((value, at) => value * (1 - 0.35 * share) + wet[at]! * 0.75 * share);
}
