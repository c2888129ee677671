import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

// Tests check the responses, so their type is open.
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface UploadAnswer<T = any> {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: T;
  readonly durationMs: number;
}

export interface SendOptions {
  readonly key: string;
  readonly path: string;
  readonly field?: string;
  /** Limits the sending speed. */
  readonly bytesPerSecond?: number;
  /** The client disconnects after this many bytes of the file. */
  readonly abortAfterBytes?: number;
}

const CHUNK_BYTES = 64 * 1024;
const TIMEOUT_MS = 180_000;

/** Streams one upload from disk. Rejects if the connection ends without a response. */
export async function sendUpload(baseUrl: string, options: SendOptions): Promise<UploadAnswer> {
  const { size } = await stat(options.path);
  const boundary = `b${randomBytes(12).toString('hex')}`;
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${options.field ?? 'file'}"; filename="a.bin"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${baseUrl}/v1/uploads`,
      {
        method: 'POST',
        agent: false,
        timeout: TIMEOUT_MS,
        headers: {
          authorization: `Bearer ${options.key}`,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': head.length + size + tail.length,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          answered = true;
          outgoing.destroy();
          resolve({
            status: response.statusCode as number,
            headers: response.headers,
            body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
            durationMs: performance.now() - startedMs,
          });
        });
      },
    );
    let answered = false;
    let resume = () => {};
    outgoing.on('drain', () => resume());
    outgoing.on('close', () => resume());
    outgoing.once('timeout', () => outgoing.destroy(new Error('no response in time')));
    // An error response can arrive while the file is still being sent: then it counts, not the broken pipe.
    outgoing.on('error', (error) => setTimeout(() => reject(error), 200).unref());
    const send = async () => {
      outgoing.write(head);
      let sent = 0;
      for await (const chunk of createReadStream(options.path, { highWaterMark: CHUNK_BYTES })) {
        if (answered || outgoing.destroyed) return;
        if (options.abortAfterBytes !== undefined && sent >= options.abortAfterBytes) {
          outgoing.destroy(new Error('the client disconnects'));
          return;
        }
        if (!outgoing.write(chunk)) {
          await new Promise<void>((resumed) => {
            resume = resumed;
          });
        }
        sent += (chunk as Buffer).length;
        if (options.bytesPerSecond !== undefined) {
          const aheadMs = (sent / options.bytesPerSecond) * 1000 - (performance.now() - startedMs);
          if (aheadMs > 1) await sleep(aheadMs);
        }
      }
      outgoing.end(tail);
    };
    send().catch(reject);
  });
}
