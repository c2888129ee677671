import type { Readable } from 'node:stream';
import type { Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { UPLOAD_LIMITS } from '../../media/upload-limits.ts';
import { Problem } from '../../platform/problem.ts';

const FIELD = 'file';
const MAX_FILE_BYTES = UPLOAD_LIMITS.video.maxBytes;
/** RFC 2046 5.1.1: 1 to 70 characters. */
export const BOUNDARY = /;\s*boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70})(?:\s*;|\s*$)/i;
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
  // One byte more than the limit, so that the reader sees that the file is too large.
  fileSize: MAX_FILE_BYTES + 1,
} as const;

export interface UploadPart {
  readonly file: Readable;
  /** The least that the file can have, from Content-Length. */
  readonly minBytes: number;
  /** Reads the rest of the form; refuses a second file and an incomplete form. */
  end(): Promise<void>;
}

/** The one part named `file`. */
export async function readUploadPart(request: FastifyRequest): Promise<UploadPart> {
  if (!request.isMultipart() || !BOUNDARY.test(request.headers['content-type'] ?? '')) {
    throw new Problem('invalid_params', 'Send the file as multipart/form-data with one field named file.', {
      issues: [{ path: 'Content-Type', message: 'must be multipart/form-data with a boundary' }],
    });
  }
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > MAX_FILE_BYTES + MAX_OVERHEAD_BYTES) {
    throw new Problem('upload_too_large', 'Uploads are limited to 200 MB.');
  }
  const parts = request.parts();
  const part = await nextFile(parts);
  if (part === null || part.fieldname !== FIELD) {
    throw new Problem('invalid_params', 'The form has no file in the field named file.', {
      issues: [{ path: FIELD, message: 'is required and must be a file' }],
    });
  }
  return {
    file: part.file,
    minBytes: declaredBytes - MAX_OVERHEAD_BYTES,
    async end() {
      if ((await nextFile(parts)) !== null) throw unreadable('it has more than one file');
    },
  };
}

async function nextFile(parts: AsyncIterableIterator<Multipart>) {
  try {
    for (;;) {
      const { value, done } = await parts.next();
      if (done === true || value === undefined) return null;
      if (value.type === 'file') return value;
    }
  } catch (error) {
    throw toFormProblem(error) ?? unreadable('it is not multipart/form-data');
  }
}

const FORM_FAULTS: Readonly<Record<string, string>> = {
  FST_FILES_LIMIT: 'it has more than one file',
  FST_FIELDS_LIMIT: 'it has too many fields',
  FST_PARTS_LIMIT: 'it has too many parts',
  FST_PROTO_VIOLATION: 'the name of a field is not allowed',
  FST_MP_PREMATURE_CLOSE: 'it is incomplete',
};

/** The problem for an error of the form parser, which also surfaces in the file's stream; null for any other error. */
export function toFormProblem(error: unknown): Problem | null {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    return code.startsWith('FST_') ? unreadable(FORM_FAULTS[code] ?? 'it is not multipart/form-data') : null;
  }
  return String(message).includes('multipart data') ? unreadable('it is incomplete') : null;
}

function unreadable(why: string): Problem {
  return new Problem('invalid_params', `The form cannot be read: ${why}.`, {
    issues: [{ path: 'body', message: `must be a form with one file: ${why}` }],
  });
}
