import { type FileHandle, open } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ObjectStoreUnavailable } from './object-store.ts';
import { putSlice } from './put-slice.ts';
import { asked } from './s3-error.ts';

export interface PutFileOptions {
  readonly client: S3Client;
  readonly agent: Agent;
  readonly bucket: string;
  /** For one part, from its first byte to the response. */
  readonly partTimeoutMs: number;
}

interface FileToPut {
  readonly key: string;
  readonly path: string;
  readonly bytes: number;
  readonly contentType: string;
}

const PART_BYTES = 8 * 1024 * 1024;
const PARTS_IN_FLIGHT = 2;
const BUFFER_BYTES = 512 * 1024;
const SIGNATURE_LIFE_SECONDS = 900;
const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 100;

/**
 * Stores a large file in parts. Whatever its size, it uses two buffers of memory; a part that fails is read from the disk
 * again.
 */
export async function putFile(options: PutFileOptions, file: FileToPut): Promise<void> {
  const { client } = options;
  const target = { Bucket: options.bucket, Key: file.key };
  const handle = await open(file.path);
  try {
    const { UploadId } = await asked(
      client.send(new CreateMultipartUploadCommand({ ...target, ContentType: file.contentType })),
    );
    try {
      const etags = await putParts(options, { ...file, handle, uploadId: UploadId as string });
      const MultipartUpload = { Parts: etags.map((ETag, n) => ({ ETag, PartNumber: n + 1 })) };
      await asked(client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload })));
    } catch (error) {
      await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {});
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function putParts(
  { client, agent, bucket, partTimeoutMs }: PutFileOptions,
  file: FileToPut & { handle: FileHandle; uploadId: string },
): Promise<string[]> {
  const count = Math.ceil(file.bytes / PART_BYTES);
  const etags: string[] = [];
  const failed = new AbortController();
  let next = 0;

  const putPart = async (n: number, buffer: Buffer) => {
    const start = n * PART_BYTES;
    const part = { Bucket: bucket, Key: file.key, UploadId: file.uploadId, PartNumber: n + 1 };
    etags[n] = await asked(
      putSlice({
        url: await getSignedUrl(client, new UploadPartCommand(part), { expiresIn: SIGNATURE_LIFE_SECONDS }),
        agent,
        file: file.handle,
        start,
        bytes: Math.min(PART_BYTES, file.bytes - start),
        buffer,
        signal: AbortSignal.any([failed.signal, AbortSignal.timeout(partTimeoutMs)]),
      }),
    );
  };
  const work = async () => {
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    while (next < count && !failed.signal.aborted) {
      const n = next;
      next += 1;
      await tryAgain(() => putPart(n, buffer), failed.signal);
    }
  };
  const settled = await Promise.allSettled(
    Array.from({ length: PARTS_IN_FLIGHT }, () =>
      work().catch((error: unknown) => {
        failed.abort();
        throw error;
      }),
    ),
  );
  const broken = settled.find((each) => each.status === 'rejected' && !isAbort(each.reason));
  if (broken?.status === 'rejected') throw broken.reason;
  return etags;
}

async function tryAgain(put: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await put();
    } catch (error) {
      // A part that timed out is retried; one aborted because another part failed is not.
      const passing = isAbort(error) ? late(error) : error;
      if (!(passing instanceof ObjectStoreUnavailable) || attempt >= MAX_ATTEMPTS || signal.aborted) throw passing;
      await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1));
    }
  }
}

function isAbort(error: unknown): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR';
}

function late(cause: unknown): ObjectStoreUnavailable {
  return new ObjectStoreUnavailable('object store timed out on a part', { cause });
}
