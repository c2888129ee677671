export const insertTransfer = (): null => null;
