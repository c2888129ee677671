import { createGeneration } from '../domain/generations/submit/create-generation.ts';

export const createSafety = (): null => createGeneration();
