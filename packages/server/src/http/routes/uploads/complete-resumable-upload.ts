import { completeResumableUpload as complete } from '../../../domain/assets/complete-resumable-upload.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const completeResumableUpload: OperationHandler<'completeResumableUpload'> = (services, { caller, params }) =>
  complete(services, { accountId: caller.accountId, id: params.id });
