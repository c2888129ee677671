import { createEngine } from '../../safety/classifiers/prompt-engine.ts';

export const checkContent = (): null => createEngine();
