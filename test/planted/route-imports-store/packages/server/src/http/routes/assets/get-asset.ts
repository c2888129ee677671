import { findAsset } from '../../../domain/assets/assets.store.ts';

export const getAsset = (): null => findAsset();
