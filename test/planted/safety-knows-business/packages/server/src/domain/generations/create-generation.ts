export const createGeneration = (): null => null;
