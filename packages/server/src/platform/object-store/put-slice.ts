import type { FileHandle } from 'node:fs/promises';
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface SliceToPut {
  readonly url: string;
  readonly agent: Agent;
  readonly file: FileHandle;
  readonly start: number;
  readonly bytes: number;
  /** Reused for every read: nothing else may use it meanwhile. */
  readonly buffer: Buffer;
  readonly signal: AbortSignal;
}

const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * PUTs a slice of a file to a signed URL and returns its ETag. The buffer is refilled once the kernel has taken its bytes:
 * a stream would allocate a new buffer for every chunk, and collecting those costs more than sending.
 */
export function putSlice(slice: SliceToPut): Promise<string> {
  const { url, agent, file, buffer, signal } = slice;
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
      method: 'PUT',
      agent,
      signal,
      headers: { 'content-length': slice.bytes },
    });
    let answered = false;
    request.once('error', reject);
    request.once('response', (response) => {
      answered = true;
      readAnswer(response).then(resolve, reject);
    });
    const write = (chunk: Buffer) =>
      new Promise<void>((done, failed) => {
        request.write(chunk, (error) => (error ? failed(error) : done()));
      });
    const send = async () => {
      for (let sent = 0; sent < slice.bytes; ) {
        if (answered || request.destroyed) return;
        const length = Math.min(buffer.length, slice.bytes - sent);
        const { bytesRead } = await file.read(buffer, 0, length, slice.start + sent);
        if (bytesRead === 0) throw new Error('the file was truncated while it was being stored');
        await write(buffer.subarray(0, bytesRead));
        sent += bytesRead;
      }
      request.end();
    };
    send().catch((error: Error) => request.destroy(error));
  });
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) {
    if (text.length < MAX_ANSWER_BYTES) text += (chunk as Buffer).toString('latin1');
  }
  const status = response.statusCode ?? 0;
  const { etag } = response.headers;
  if (status === 200 && etag !== undefined) return etag;
  // In the format of the SDK's errors, so that one function reads both.
  throw Object.assign(new Error(`object store returned ${status} for a part`), {
    name: /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? 'NoETag',
    $metadata: { httpStatusCode: status === 200 ? 502 : status },
  });
}
