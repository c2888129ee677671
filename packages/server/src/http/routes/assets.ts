import { getAsset as get } from '../../domain/assets/get-asset.ts';
import type { OperationHandler } from '../operation-handler.ts';

export const getAsset: OperationHandler<'getAsset'> = (services, { caller, params }) =>
  get(services, { accountId: caller.accountId, id: params.id });
