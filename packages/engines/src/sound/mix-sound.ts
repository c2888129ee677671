import { filter, lay, RATE, type Signal, type Stereo } from '../audio/signal.ts';
import { seededRandom } from '../seeded-random.ts';
import { type RecipeName, recipes } from './choose-recipes.ts';
import type { Recipe } from './recipe.ts';

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

const PEAK = 0.84;
/** The RMS level of a bed; short sounds are normalized by their peak. */
const BED_LOUDNESS = 0.15;
/** Percussive sounds would be distorted if they were as loud as steady ones. */
const BED_PEAK = 1.3;
const FADE_SECONDS = 0.1;
const WIDE = [0.8, 0.42] as const;

/** Mixes the sounds for exactly the given number of seconds. The same seed produces the same result. */
export function mixSound(names: readonly RecipeName[], options: { seconds: number; seed: number }): Stereo {
  const length = Math.round(options.seconds * RATE);
  const mixed = { left: new Float32Array(length), right: new Float32Array(length) };
  names.forEach((name, at) => {
    const layer = makeLayer(recipes[name], { seconds: options.seconds, seed: options.seed + at * 1_000 });
    for (const side of ['left', 'right'] as const) lay(mixed[side], layer[side], { at: 0 });
  });
  settle(mixed);
  return mixed;
}

function makeLayer(recipe: Recipe, options: { seconds: number; seed: number }): Stereo {
  const { seconds, seed } = options;
  const length = Math.round(seconds * RATE);
  const [left, right] = [new Float32Array(length), new Float32Array(length)];
  if (recipe.kind === 'bed') {
    // Two takes, each panned to one side: a wide stereo image that also works in mono.
    const takes = [0, 1].map((take) => recipe.make({ seconds, random: seededRandom(seed * 2 + take) }));
    lay(left, takes[0]!, { at: 0, gain: WIDE[0] });
    lay(left, takes[1]!, { at: 0, gain: WIDE[1] });
    lay(right, takes[0]!, { at: 0, gain: WIDE[1] });
    lay(right, takes[1]!, { at: 0, gain: WIDE[0] });
  } else {
    const random = seededRandom(seed);
    for (let at = 0; at < seconds; at += recipe.periodSeconds ?? 2) {
      const shot = recipe.make({ seconds, random });
      // A repetition that would be cut off is omitted.
      if (at > 0 && at + shot.length / RATE > seconds) break;
      lay(left, shot, { at });
      lay(right, shot, { at });
    }
  }
  const placed = addRoom({ left, right }, recipe.room ?? 0);
  const gain =
    recipe.kind === 'bed'
      ? Math.min(BED_LOUDNESS / (loudness(placed.left) || 1), BED_PEAK / (peak(placed.left) || 1))
      : PEAK / (Math.max(peak(placed.left), peak(placed.right)) || 1);
  for (const side of [placed.left, placed.right]) for (let at = 0; at < side.length; at++) side[at]! *= gain;
  return placed;
}

/** Limits peaks softly and fades both ends. */
function settle({ left, right }: Stereo): void {
  const fade = FADE_SECONDS * RATE;
  for (const side of [left, right]) {
    for (let at = 0; at < side.length; at++) {
      const value = side[at]!;
      const size = Math.abs(value);
      const soft = size <= 0.6 ? value : Math.sign(value) * (0.6 + 0.26 * Math.tanh((size - 0.6) / 0.26));
      side[at] = soft * Math.min(1, (at + 1) / (fade / 50), (side.length - at) / fade);
    }
  }
}

export function peak(signal: Signal): number {
  return signal.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

export function loudness(signal: Signal): number {
  return Math.sqrt(signal.reduce((sum, value) => sum + value * value, 0) / (signal.length || 1));
}
