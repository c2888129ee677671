import { ApiError } from './api-error.ts';
import { type MediaSource, toBlob } from './media-source.ts';
import type { Asset, ResumableUpload } from './schemas.ts';
import { pathId, type RequestOptions, type Transport } from './transport.ts';

/** Larger files are sent in chunks, so that a broken connection costs one chunk. */
const RESUMABLE_FROM_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 8 * 1024 * 1024;
/** For a file of the largest size over a slow line. */
const UPLOAD_TIMEOUT_MS = 300_000;
const PATH = '/v1/uploads/resumable';

export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface UploadOptions extends RequestOptions {
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** The file name to send. The service detects the type from the content. */
  readonly name?: string | undefined;
  /** Called with the id of a resumable upload. Keep it to continue after a restart. */
  readonly onStart?: ((id: string) => void) | undefined;
  /** Continues this resumable upload with the same file. */
  readonly resume?: string | undefined;
}

export function createUploads(transport: Transport) {
  return {
    /** Uploads a file; files above 8 MB in chunks that survive broken connections. */
    async create(source: MediaSource, options: UploadOptions = {}): Promise<Asset> {
      const file = await toBlob(source);
      const timed = { timeoutMs: UPLOAD_TIMEOUT_MS, ...options };
      const isSmall = file.size <= RESUMABLE_FROM_BYTES && options.resume === undefined;
      return isSmall ? sendWhole(transport, file, timed) : sendChunks(transport, file, timed);
    },
  };
}

async function sendWhole(transport: Transport, file: Blob, options: UploadOptions): Promise<Asset> {
  const body = new FormData();
  body.append('file', file, options.name ?? (file as { name?: string }).name ?? 'file');
  options.onProgress?.({ sentBytes: 0, totalBytes: file.size });
  const asset = await transport.request<Asset>({ method: 'POST', path: '/v1/uploads', body, options });
  options.onProgress?.({ sentBytes: file.size, totalBytes: file.size });
  return asset;
}

async function sendChunks(transport: Transport, file: Blob, options: UploadOptions): Promise<Asset> {
  const { onProgress } = options;
  const read = (id: string) =>
    transport.request<ResumableUpload>({ method: 'GET', path: `${PATH}/${pathId(id)}`, options });
  const upload =
    options.resume === undefined
      ? await transport.request<ResumableUpload>({ method: 'POST', path: PATH, json: { bytes: file.size }, options })
      : await read(options.resume);
  options.onStart?.(upload.id);
  const chunkBytes = Math.min(upload.chunkBytes, CHUNK_BYTES);
  let { offset } = upload;
  let failures = 0;
  onProgress?.({ sentBytes: offset, totalBytes: file.size });
  while (offset < file.size) {
    const before = offset;
    try {
      // The request is not repeated as it is: if only the response was lost, the next offset is another one.
      const next = await transport.request<ResumableUpload>({
        method: 'PUT',
        path: `${PATH}/${upload.id}`,
        query: { offset },
        body: file.slice(offset, offset + chunkBytes),
        headers: { 'content-type': 'application/octet-stream' },
        options: { ...options, maxRetries: 0 },
      });
      offset = next.offset;
    } catch (error) {
      if (failures >= (options.maxRetries ?? transport.maxRetries)) throw error;
      if (!isOffsetRefused(error)) await transport.pause(error, failures, options.signal);
      offset = (await read(upload.id)).offset;
      if (isOffsetRefused(error) && offset === before) throw error;
    }
    failures = offset > before ? 0 : failures + 1;
    onProgress?.({ sentBytes: offset, totalBytes: file.size });
  }
  return transport.request<Asset>({ method: 'POST', path: `${PATH}/${upload.id}/complete`, options });
}

/** The chunk arrived before, for example because a proxy sent it twice: the service says where to continue. */
function isOffsetRefused(error: unknown): boolean {
  return (
    error instanceof ApiError && error.code === 'invalid_params' && error.issues.some(({ path }) => path === 'offset')
  );
}
