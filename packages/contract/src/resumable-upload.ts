import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Positive } from './building-blocks.ts';
import { UPLOAD_TYPES } from './vocabulary.ts';

const BYTES_PER_MB = 1024 * 1024;
export const MAX_UPLOAD_BYTES = 200 * BYTES_PER_MB;
/** The largest piece of a resumable upload. */
export const CHUNK_BYTES = 16 * BYTES_PER_MB;
/** The smallest, except for the last. */
export const MIN_CHUNK_BYTES = BYTES_PER_MB;

export const CreateResumableUploadBody = Type.Object(
  {
    bytes: Positive('The size of the whole file.'),
    mimeType: Type.Optional(
      Type.Enum(UPLOAD_TYPES, {
        description:
          'Lets a file that is too large for its kind be refused before it is sent. The bytes decide the type.',
      }),
    ),
  },
  Closed,
);
export type CreateResumableUploadBody = Static<typeof CreateResumableUploadBody>;

export const ResumableUpload = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Of the resumable upload. The asset gets an id of its own.' }),
    bytes: Positive('The size of the whole file.'),
    offset: Natural('How much has arrived: where the next piece begins.'),
    chunkBytes: Positive('The largest piece. Each has at least 1 MB, except for the last.'),
    expiresAt: DateTime('What has arrived is deleted then, unless the upload was completed.'),
  },
  { description: 'A file that arrives in pieces. It becomes an asset when it is whole and completed.' },
);
export type ResumableUpload = Static<typeof ResumableUpload>;
