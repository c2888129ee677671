export const startPump = (): null => null;
