import { Readable } from 'node:stream';
import { Asset } from '@atelier/contract';
import Type from 'typebox';
import { createUpload } from '../../../domain/assets/uploads/create-upload.ts';
import { invalidParams, Problem } from '../../../platform/problem.ts';
import { defineTool } from '../tool.ts';

/** In base64 it must fit into a message. Larger files go to POST /v1/uploads. */
export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024;

const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+;base64,/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export const uploadTool = defineTool({
  name: 'upload',
  title: 'Upload a file',
  description:
    'Uploads an image, audio or video file of at most 5 MB and returns its id, for media params such as image, images, first_frame, audio and video. For larger files use POST /v1/uploads of the HTTP API.',
  operation: 'createUpload',
  kind: 'writes',
  isRepeatable: false,
  input: Type.Object(
    { data: Type.String({ description: 'The file in base64. A data URL is accepted too.' }) },
    { additionalProperties: false },
  ),
  output: Asset,
  async call({ services, caller }, { data }) {
    const bytes = decode(data);
    const asset = await createUpload(services, {
      accountId: caller.accountId,
      file: Readable.from([bytes]),
      minBytes: bytes.length,
    });
    return { summary: `Uploaded. Use ${asset.id} as the value of a media param.`, value: asset };
  },
});

function decode(data: string): Buffer {
  const text = data.replace(DATA_URL, '');
  if (text.length % 4 !== 0 || !BASE64.test(text)) {
    throw invalidParams('The input is not valid', [{ path: 'data', message: 'must be base64' }]);
  }
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > MAX_UPLOAD_BYTES) {
    throw new Problem('upload_too_large', 'The file is larger than 5 MB. Use POST /v1/uploads.');
  }
  return bytes;
}
