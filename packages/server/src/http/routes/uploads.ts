import { createUpload as accept } from '../../domain/assets/create-upload.ts';
import { readUploadPart, toFormProblem } from '../body/read-upload-part.ts';
import { receiveBody } from '../body/receive-body.ts';
import type { OperationHandler } from '../operation-handler.ts';

export const createUpload: OperationHandler<'createUpload'> = (services, { caller, request }) =>
  receiveBody(request, async (tooSlow) => {
    const part = await readUploadPart(request);
    tooSlow.addEventListener('abort', () => part.file.destroy(tooSlow.reason), { once: true });
    try {
      return await accept(services, {
        accountId: caller.accountId,
        file: part.file,
        minBytes: part.minBytes,
        received: part.end,
      });
    } catch (error) {
      throw toFormProblem(error) ?? error;
    }
  });
