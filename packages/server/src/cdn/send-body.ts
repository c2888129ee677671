import type { ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface TransferLimit {
  readonly windowMs: number;
  readonly minBytesPerWindow: number;
}

/** A client that reads less than 512 KiB in a minute (9 KB/s) is disconnected; it can resume with Range. */
export const TRANSFER_LIMIT: TransferLimit = { windowMs: 60_000, minBytesPerWindow: 512 * 1024 };

/**
 * Sends exactly `expectedBytes`. Any error closes the connection, so that a client that checks Content-Length never
 * mistakes a partial body for the whole file. It then rejects and releases both streams.
 */
export async function sendBody(options: {
  readonly stream: Readable;
  readonly response: ServerResponse;
  readonly expectedBytes: number;
  readonly limit: TransferLimit;
}): Promise<void> {
  const { stream, response, expectedBytes, limit } = options;
  let bytes = 0;
  let bytesBefore = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > expectedBytes) done(new Error('the object is longer than its row says'));
      else done(null, chunk);
    },
    flush(done) {
      done(bytes === expectedBytes ? null : new Error('the object is shorter than its row says'));
    },
  });
  const timer = setInterval(() => {
    if (bytes - bytesBefore < limit.minBytesPerWindow) meter.destroy(new Error('the transfer is too slow'));
    bytesBefore = bytes;
  }, limit.windowMs);
  try {
    await pipeline(stream, meter, response);
  } finally {
    clearInterval(timer);
  }
}
