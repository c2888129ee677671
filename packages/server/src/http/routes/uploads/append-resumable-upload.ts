import { appendResumableUpload as append } from '../../../domain/assets/append-resumable-upload.ts';
import { readRawBody } from '../../body/read-raw-body.ts';
import { receiveBody } from '../../body/receive-body.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const appendResumableUpload: OperationHandler<'appendResumableUpload'> = (
  services,
  { caller, params, query, request },
) =>
  receiveBody(request, async (tooSlow) => {
    const { stream, bytes } = readRawBody(request);
    tooSlow.addEventListener('abort', () => stream.destroy(tooSlow.reason), { once: true });
    try {
      return await append(services, {
        accountId: caller.accountId,
        id: params.id,
        offset: query.offset,
        bytes,
        piece: stream,
      });
    } finally {
      stream.destroy();
    }
  });
