export const findAsset = (): null => null;
