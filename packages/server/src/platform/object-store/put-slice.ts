import type { FileHandle } from 'node:fs/promises';
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface SliceToPut {
  readonly url: string;
  readonly agent: Agent;
  readonly file: FileHandle;
  readonly start: number;
  readonly bytes: number;
  /** Used over and over: nothing else may hold it meanwhile. */
  readonly buffer: Buffer;
  readonly signal: AbortSignal;
}

const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * PUTs a slice of a file to a signed address and answers its ETag. The buffer is filled again only when its bytes are with
 * the kernel: a stream would make garbage of every byte it passes on, and collecting that costs more than sending.
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
        if (bytesRead === 0) throw new Error('the file changed while it was stored');
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
  // In the form in which the SDK reports a refusal, so that one function reads both.
  throw Object.assign(new Error(`the object store answered ${status} to a part`), {
    name: /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? 'NoETag',
    $metadata: { httpStatusCode: status === 200 ? 502 : status },
  });
}
