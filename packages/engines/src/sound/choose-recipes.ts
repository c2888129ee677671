import { EngineRefusal } from '../engine.ts';
import { everydayRecipes } from './everyday-recipes.ts';
import { gameRecipes } from './game-recipes.ts';
import { machineRecipes } from './machine-recipes.ts';
import { natureRecipes } from './nature-recipes.ts';
import type { Recipe } from './recipe.ts';

/** All available sounds. */
export const recipes = { ...natureRecipes, ...everydayRecipes, ...machineRecipes, ...gameRecipes };

export type RecipeName = keyof typeof recipes;
export const recipeNames = Object.keys(recipes) as RecipeName[];

const MAX_TOGETHER = 3;

/** The sounds that a prompt names, in order; several are mixed. */
export function chooseRecipes(prompt: string): RecipeName[] {
  const words = prompt
    .toLowerCase()
    .replaceAll(/game over/g, 'gameover')
    .replaceAll(/sci-?\s?fi/g, 'scifi')
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  const byName = words.flatMap((word) => recipeNames.find((name) => name === word || `${name}s` === word) ?? []);
  const byWord = words.flatMap(
    (word) => recipeNames.find((name) => (recipes[name] as Recipe).words.includes(word)) ?? [],
  );
  // Names such as "church bell" are matched first, so that single words such as "church" only add missing sounds.
  const chosen = [...new Set(byName.length > 0 ? byName : byWord)];
  if (chosen.length === 0)
    throw new EngineRefusal(`The prompt names no supported sound. Available sounds: ${recipeNames.join(', ')}.`);
  if (chosen.length > MAX_TOGETHER)
    throw new EngineRefusal(`At most ${MAX_TOGETHER} sounds can be mixed. The prompt names: ${chosen.join(', ')}.`);
  return chosen;
}
