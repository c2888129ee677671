import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { addAbortSignal, Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createSemaphore } from '../flow/semaphore.ts';
import { createCheckedBody } from './create-checked-body.ts';
import { assertObjectKey, assertObjectPrefix } from './object-key.ts';
import { type ObjectStore, ObjectStoreUnavailable, type StoredObject } from './object-store.ts';
import { putFile } from './put-file.ts';
import { asked, found, toS3Error } from './s3-error.ts';

export interface S3StoreOptions {
  /** Without it, that of AWS in the region. */
  readonly endpoint?: string;
  /** The endpoint as clients reach it, for presigned URLs; without it, `endpoint`. */
  readonly publicEndpoint?: string;
  readonly region: string;
  readonly bucket: string;
  /** Static keys. Without them the default chain of the AWS SDK applies: environment, shared files, web identity, instance role. */
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly connectTimeoutMs?: number;
  /** From the start of a request to the response headers. For a put this includes sending one part. */
  readonly requestTimeoutMs?: number;
  /** The same for requests without a body. */
  readonly readTimeoutMs?: number;
  /** Time without traffic on a connection in use. A reader that pauses longer loses its stream. */
  readonly idleTimeoutMs?: number;
  readonly maxConnections?: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 60_000;
const READ_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 90_000;
const MAX_CONNECTIONS = 128;
const MAX_ATTEMPTS = 3;
/** Files up to this size are sent from memory. */
const BYTES_IN_MEMORY = 2 * 1024 * 1024;
// A stream holds at most (parts in flight + 1) parts in memory; 10,000 parts make 80 GB the largest object.
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_IN_FLIGHT = 2;
/** Large files sent at once: enough to use the bandwidth; more would only share it, each with its own buffers. */
const FILES_AT_ONCE = 3;
const DELETE_BATCH = 1_000;
const LIST_PAGE = 1_000;

/**
 * Any S3-compatible bucket. A multipart upload whose abort cannot be delivered (because the store is unavailable) remains
 * in the bucket: give the bucket a lifecycle rule that aborts incomplete uploads after a day.
 */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { bucket: Bucket, accessKey, secretKey } = options;
  const maxSockets = options.maxConnections ?? MAX_CONNECTIONS;
  const account = {
    region: options.region,
    ...(accessKey === undefined || secretKey === undefined
      ? {}
      : { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }),
    forcePathStyle: true,
  };
  const client = new S3Client({
    ...account,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    maxAttempts: MAX_ATTEMPTS,
    // Trailing checksums are an AWS extension that other servers reject; all support Content-MD5.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      socketTimeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  });
  // It signs and never connects.
  const signer =
    options.publicEndpoint === undefined
      ? client
      : new S3Client({ ...account, endpoint: options.publicEndpoint, responseChecksumValidation: 'WHEN_REQUIRED' });
  const files = createSemaphore(FILES_AT_ONCE);
  const agent = new (options.endpoint?.startsWith('http:') ? HttpAgent : HttpsAgent)({ keepAlive: true, maxSockets });
  const putting = { client, agent, bucket: Bucket, partTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS };
  const brief = { requestTimeout: options.readTimeoutMs ?? READ_TIMEOUT_MS };

  async function putBytes({ key, bytes, contentType }: { key: string; bytes: Uint8Array; contentType: string }) {
    assertObjectKey(key);
    const ContentMD5 = createHash('md5').update(bytes).digest('base64');
    await asked(
      client.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes, ContentType: contentType, ContentMD5 })),
    );
  }

  async function putStream({ key, stream, contentType }: { key: string; stream: Readable; contentType: string }) {
    assertObjectKey(key);
    let bytes = 0;
    let sourceError: unknown;
    let storeError: unknown;
    const body = Readable.from(
      (async function* () {
        try {
          for await (const chunk of stream) {
            bytes += chunk.length;
            yield chunk;
          }
        } catch (error) {
          sourceError ??= error;
          throw error;
        }
      })(),
      { objectMode: false },
    );
    // Upload keeps sending the other parts after one has failed; ending its source stops it.
    const failFast = Object.create(client, {
      send: {
        value: (command: Parameters<typeof client.send>[0]) =>
          client.send(command).catch((error: unknown) => {
            storeError ??= error;
            body.destroy();
            throw error;
          }),
      },
    }) as S3Client;
    const upload = new Upload({
      client: failFast,
      params: { Bucket, Key: key, Body: body, ContentType: contentType },
      partSize: PART_BYTES,
      queueSize: PARTS_IN_FLIGHT,
      leavePartsOnError: false,
    });
    try {
      await upload.done();
    } catch (error) {
      stream.destroy();
      if (storeError !== undefined) throw toS3Error(storeError);
      throw sourceError ?? toS3Error(error);
    }
    return { bytes };
  }

  return {
    putBytes,
    putStream,

    async putFile({ key, path, contentType }) {
      const { size } = await stat(path);
      if (size <= BYTES_IN_MEMORY) {
        await putBytes({ key, bytes: await readFile(path), contentType });
        return;
      }
      assertObjectKey(key);
      await files.run(() => putFile(putting, { key, path, bytes: size, contentType }));
    },

    async head(key) {
      assertObjectKey(key);
      const answer = await found(client.send(new HeadObjectCommand({ Bucket, Key: key }), brief));
      return answer && toStoredObject(answer, answer.ContentLength);
    },

    async read({ key, start, end, signal }) {
      assertObjectKey(key);
      const ranged = start !== undefined || end !== undefined;
      const Range = ranged ? `bytes=${start ?? 0}-${end ?? ''}` : undefined;
      const answer = await found(
        client.send(new GetObjectCommand({ Bucket, Key: key, Range }), {
          ...brief,
          ...(signal ? { abortSignal: signal } : {}),
        }),
      );
      if (answer === null) return null;
      if (!(answer.Body instanceof Readable) || answer.ContentLength === undefined) {
        throw new ObjectStoreUnavailable('object store returned no Content-Length');
      }
      const totalBytes = ranged ? Number(answer.ContentRange?.split('/')[1]) : answer.ContentLength;
      if (!Number.isSafeInteger(totalBytes)) {
        answer.Body.destroy();
        throw new ObjectStoreUnavailable('object store ignored the Range header');
      }
      const stream = createCheckedBody({ body: answer.Body, expectedBytes: answer.ContentLength });
      if (signal) addAbortSignal(signal, stream);
      return { stream, object: toStoredObject(answer, totalBytes) };
    },

    async deleteMany(keys) {
      for (const key of keys) assertObjectKey(key);
      for (let from = 0; from < keys.length; from += DELETE_BATCH) {
        const Objects = keys.slice(from, from + DELETE_BATCH).map((Key) => ({ Key }));
        const answer = await asked(
          client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }), brief),
        );
        const failed = answer.Errors?.filter((error) => error.Code !== 'NoSuchKey') ?? [];
        if (failed.length > 0) {
          throw new ObjectStoreUnavailable(
            `object store failed to delete ${failed.length} objects: ${failed[0]?.Code}`,
          );
        }
      }
    },

    async list({ prefix, startAfter, limit }) {
      assertObjectPrefix(prefix);
      const objects: Array<{ key: string; bytes: number; lastModified: Date }> = [];
      let after = startAfter;
      while (objects.length < limit) {
        const MaxKeys = Math.min(LIST_PAGE, limit - objects.length);
        const page = await asked(
          client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter: after, MaxKeys }), brief),
        );
        for (const item of page.Contents ?? []) {
          objects.push({ key: item.Key!, bytes: item.Size!, lastModified: item.LastModified! });
        }
        after = objects.at(-1)?.key;
        if (!page.IsTruncated) break;
      }
      return objects;
    },

    async presign({ method, key, expiresInSeconds, contentType, disposition, cacheControl }) {
      assertObjectKey(key);
      const input = {
        Bucket,
        Key: key,
        ResponseContentType: contentType,
        ResponseContentDisposition: disposition,
        ResponseCacheControl: cacheControl,
      };
      const command = method === 'HEAD' ? new HeadObjectCommand(input) : new GetObjectCommand(input);
      return getSignedUrl(signer, command, { expiresIn: expiresInSeconds });
    },

    async check() {
      const answer = await found(client.send(new HeadBucketCommand({ Bucket }), brief));
      if (answer === null) throw new ObjectStoreUnavailable('the bucket does not exist');
    },

    async close() {
      client.destroy();
      agent.destroy();
    },
  };
}

function toStoredObject(
  answer: { ETag?: string | undefined; LastModified?: Date | undefined },
  bytes: number | undefined,
): StoredObject {
  if (bytes === undefined || answer.ETag === undefined || answer.LastModified === undefined) {
    throw new ObjectStoreUnavailable('object store returned no size, ETag or date');
  }
  return { bytes, etag: answer.ETag.replaceAll('"', ''), lastModified: answer.LastModified };
}
