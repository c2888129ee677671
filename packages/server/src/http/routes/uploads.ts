import { appendResumableUpload } from '../../domain/assets/uploads/append-resumable-upload.ts';
import { completeResumableUpload } from '../../domain/assets/uploads/complete-resumable-upload.ts';
import { createResumableUpload } from '../../domain/assets/uploads/create-resumable-upload.ts';
import { createUpload } from '../../domain/assets/uploads/create-upload.ts';
import { getResumableUpload } from '../../domain/assets/uploads/resumable-upload.ts';
import { readRawBody } from '../body/read-raw-body.ts';
import { readUploadPart, toFormProblem } from '../body/read-upload-part.ts';
import { receiveBody } from '../body/receive-body.ts';
import type { Routes } from '../operation-handler.ts';

export const uploadRoutes: Routes<
  'createUpload' | 'createResumableUpload' | 'getResumableUpload' | 'appendResumableUpload' | 'completeResumableUpload'
> = {
  createUpload: (services, { caller, request }) =>
    receiveBody(request, async (tooSlow) => {
      const part = await readUploadPart(request);
      tooSlow.addEventListener('abort', () => part.file.destroy(tooSlow.reason), { once: true });
      try {
        return await createUpload(services, {
          accountId: caller.accountId,
          file: part.file,
          minBytes: part.minBytes,
          received: part.end,
        });
      } catch (error) {
        throw toFormProblem(error) ?? error;
      }
    }),

  createResumableUpload: (services, { caller, body }) =>
    createResumableUpload(services, { accountId: caller.accountId, ...body }),

  getResumableUpload: (services, { caller, params }) =>
    getResumableUpload(services, { accountId: caller.accountId, id: params.id }),

  appendResumableUpload: (services, { caller, params, query, request }) =>
    receiveBody(request, async (tooSlow) => {
      const { stream, bytes } = readRawBody(request);
      tooSlow.addEventListener('abort', () => stream.destroy(tooSlow.reason), { once: true });
      try {
        return await appendResumableUpload(services, {
          accountId: caller.accountId,
          id: params.id,
          offset: query.offset,
          bytes,
          piece: stream,
        });
      } finally {
        stream.destroy();
      }
    }),

  completeResumableUpload: (services, { caller, params }) =>
    completeResumableUpload(services, { accountId: caller.accountId, id: params.id }),
};
