import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { UPLOAD_LIMITS } from '../../../media/upload-limits.ts';
import { Problem } from '../../../platform/problem.ts';

const FIELD = 'file';
const MAX_FILE_BYTES = UPLOAD_LIMITS.video.maxBytes;
/** Boundaries and part headers around the file. */
const MAX_OVERHEAD_BYTES = 64 * 1024;

/** Limits of the multipart parser: one file, a few small parts, nothing that could fill memory. */
export const MULTIPART_LIMITS = {
  files: 1,
  fields: 2,
  parts: 4,
  headerPairs: 32,
  fieldNameSize: 100,
  fieldSize: 1024,
  fileSize: MAX_FILE_BYTES + 1,
} as const;

/** The stream of the one part named `file`. */
export async function readUploadPart(request: FastifyRequest): Promise<Readable> {
  if (!request.isMultipart()) {
    throw new Problem('invalid_params', 'Send the file as multipart/form-data with one field named file.', {
      issues: [{ path: 'Content-Type', message: 'must be multipart/form-data' }],
    });
  }
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_FILE_BYTES + MAX_OVERHEAD_BYTES) {
    throw new Problem('upload_too_large', 'No upload may be larger than 200 MB.');
  }
  const part = await request.file();
  if (part === undefined || part.fieldname !== FIELD) {
    part?.file.resume();
    throw new Problem('invalid_params', 'The form has no file in the field named file.', {
      issues: [{ path: FIELD, message: 'is required and must be a file' }],
    });
  }
  return part.file;
}
