import { createGeneration } from '../domain/generations/create-generation.ts';

export const createSafety = (): null => createGeneration();
