import { getAsset } from '../../domain/assets/get-asset.ts';
import type { Routes } from '../operation-handler.ts';

export const assetRoutes: Routes<'getAsset'> = {
  getAsset: (services, { caller, params }) => getAsset(services, { accountId: caller.accountId, id: params.id }),
};
