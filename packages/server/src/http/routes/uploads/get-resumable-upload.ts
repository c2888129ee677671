import { getResumableUpload as get } from '../../../domain/assets/get-resumable-upload.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const getResumableUpload: OperationHandler<'getResumableUpload'> = (services, { caller, params }) =>
  get(services, { accountId: caller.accountId, id: params.id });
