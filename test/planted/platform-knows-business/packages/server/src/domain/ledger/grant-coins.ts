export const grantCoins = (): null => null;
