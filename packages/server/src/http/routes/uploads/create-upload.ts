import { createUpload as accept } from '../../../domain/assets/create-upload.ts';
import type { OperationHandler } from '../../operation-handler.ts';
import { readUploadPart } from './read-upload-part.ts';

export const createUpload: OperationHandler<'createUpload'> = async (services, { caller, request, reply }) => {
  const file = await readUploadPart(request);
  try {
    return await accept(services, { accountId: caller.accountId, file });
  } finally {
    // What is left of a refused file is read and thrown away, so that the client sees the answer and not a reset.
    file.resume();
    if (!request.raw.complete) reply.header('connection', 'close');
  }
};
