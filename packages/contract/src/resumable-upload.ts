import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Positive } from './building-blocks.ts';
import { UPLOAD_TYPES } from './vocabulary.ts';

const BYTES_PER_MB = 1024 * 1024;
export const MAX_UPLOAD_BYTES = 200 * BYTES_PER_MB;
/** The largest chunk of a resumable upload. */
export const CHUNK_BYTES = 16 * BYTES_PER_MB;
/** The smallest chunk, except for the last. */
export const MIN_CHUNK_BYTES = BYTES_PER_MB;

export const CreateResumableUploadBody = Type.Object(
  {
    bytes: Positive('File size in bytes.'),
    mimeType: Type.Optional(
      Type.Enum(UPLOAD_TYPES, {
        description:
          'Lets the service reject a file that is too large before you send it. The actual type is detected from the content.',
      }),
    ),
  },
  Closed,
);
export type CreateResumableUploadBody = Static<typeof CreateResumableUploadBody>;

export const ResumableUpload = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Id of the resumable upload. The asset gets a different id.' }),
    bytes: Positive('File size in bytes.'),
    offset: Natural('Bytes received so far: where the next chunk starts.'),
    chunkBytes: Positive('Maximum chunk size. The minimum is 1 MB, except for the last chunk.'),
    expiresAt: DateTime('When the received bytes are deleted, unless the upload is completed before.'),
  },
  { description: 'A file uploaded in chunks. It becomes an asset when you complete the upload.' },
);
export type ResumableUpload = Static<typeof ResumableUpload>;
