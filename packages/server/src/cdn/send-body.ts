import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

export interface TransferLimit {
  readonly windowMs: number;
  readonly minBytesPerWindow: number;
}

/** A client that reads less than 512 KiB in a minute (9 KB/s) is disconnected; it can resume with Range. */
export const TRANSFER_LIMIT: TransferLimit = { windowMs: 60_000, minBytesPerWindow: 512 * 1024 };

/**
 * What may wait for the socket. One chunk of the store is more than a socket asks for, and a store that is paused and
 * resumed for every chunk costs more than the chunk; several chunks that wait leave in one system call.
 */
const BUFFER_BYTES = 192 * 1024;

/**
 * Sends exactly `expectedBytes`. Any error closes the connection, so that a client that checks Content-Length never
 * mistakes a partial body for the whole file. It then rejects and releases both streams.
 */
export function sendBody(options: {
  readonly stream: Readable;
  readonly response: ServerResponse;
  readonly expectedBytes: number;
  readonly limit: TransferLimit;
}): Promise<void> {
  const { stream, response, expectedBytes, limit } = options;
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let bytesBefore = 0;
    let isSettled = false;
    const settle = (error?: Error) => {
      if (isSettled) return;
      isSettled = true;
      clearInterval(timer);
      if (error === undefined) return resolve();
      stream.destroy();
      response.destroy();
      reject(error);
    };
    const timer = setInterval(() => {
      if (bytes - bytesBefore < limit.minBytesPerWindow) settle(new Error('the transfer is too slow'));
      bytesBefore = bytes;
    }, limit.windowMs);

    // These stay: destroying a stream may emit a late error, which has been handled.
    stream.on('error', settle);
    response.on('error', settle);
    response.once('close', () => settle(response.writableFinished ? undefined : clientGone()));
    response.once('finish', () => settle());
    response.on('drain', () => stream.resume());
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > expectedBytes) settle(new Error('the object is longer than its row says'));
      else if (!isSettled && !response.write(chunk) && response.writableLength >= BUFFER_BYTES) stream.pause();
    });
    stream.once('end', () => {
      if (bytes === expectedBytes) response.end();
      else settle(new Error('the object is shorter than its row says'));
    });
    stream.once('close', () => {
      if (!stream.readableEnded) settle(new Error('the store closed the object early'));
    });
    if (response.destroyed) settle(clientGone());
  });
}

function clientGone(): Error {
  return Object.assign(new Error('the client disconnected'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}
