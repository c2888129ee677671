export const createAccount = (): null => null;
