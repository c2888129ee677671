export const createEngine = (): null => null;
