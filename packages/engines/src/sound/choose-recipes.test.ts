import { describe, expect, it } from 'vitest';
import { RATE } from '../audio/signal.ts';
import { EngineRefusal } from '../engine.ts';
import { chooseRecipes, recipeNames } from './choose-recipes.ts';
import { loudness, mixSound, peak } from './mix-sound.ts';

const SECONDS = 2;
const MAX_PEAK = 0.9;
const MIN_LOUDNESS = 0.005;

describe('chooseRecipes', () => {
  it('knows at least 25 sounds by name', () => {
    expect(recipeNames.length).toBeGreaterThanOrEqual(25);
    for (const name of recipeNames) expect(chooseRecipes(`the sound of a ${name}`)).toEqual([name]);
  });

  it('knows synonyms and mixes several sounds', () => {
    expect(chooseRecipes('a crackling campfire')).toEqual(['fire']);
    expect(chooseRecipes('Police!')).toEqual(['siren']);
    expect(chooseRecipes('rain and thunder')).toEqual(['rain', 'thunder']);
  });

  it('refuses unknown sounds and lists the available ones', () => {
    expect(() => chooseRecipes('a violin concerto')).toThrow(EngineRefusal);
    expect(() => chooseRecipes('')).toThrow(/wind, rain, thunder/);
    expect(() => chooseRecipes('wind rain fire birds')).toThrow(/At most 3/);
  });
});

describe('mixSound', () => {
  it.each(recipeNames)('renders %s audibly and without clipping', (name) => {
    const sound = mixSound([name], { seconds: SECONDS, seed: 9 });
    for (const side of [sound.left, sound.right]) {
      expect(side).toHaveLength(SECONDS * RATE);
      expect(side.every(Number.isFinite)).toBe(true);
      expect(peak(side)).toBeLessThan(MAX_PEAK);
      expect(loudness(side)).toBeGreaterThan(MIN_LOUDNESS);
    }
  });

  it('depends only on the seed', () => {
    const make = (seed: number) => mixSound(['wind'], { seconds: 1, seed }).left;
    expect(make(4)).toEqual(make(4));
    expect(make(4)).not.toEqual(make(5));
  });
});
