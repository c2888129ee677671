export const probe = (): null => null;
