import { everydayRecipes } from './everyday-recipes.ts';
import { gameRecipes } from './game-recipes.ts';
import { machineRecipes } from './machine-recipes.ts';
import { natureRecipes } from './nature-recipes.ts';

/** All available sounds. */
export const recipes = { ...natureRecipes, ...everydayRecipes, ...machineRecipes, ...gameRecipes };

export type RecipeName = keyof typeof recipes;
export const recipeNames = Object.keys(recipes) as RecipeName[];
