import { createResumableUpload as create } from '../../../domain/assets/create-resumable-upload.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const createResumableUpload: OperationHandler<'createResumableUpload'> = (services, { caller, body }) =>
  create(services, { accountId: caller.accountId, ...body });
