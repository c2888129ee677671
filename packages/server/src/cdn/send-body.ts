import type { ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface TransferLimit {
  readonly windowMs: number;
  readonly minBytesPerWindow: number;
}

/** In every full minute a client takes at least 512 KiB (9 KB/s) or the connection ends; Range lets it go on later. */
export const TRANSFER_LIMIT: TransferLimit = { windowMs: 60_000, minBytesPerWindow: 512 * 1024 };

/**
 * Sends exactly `expectedBytes`. Whatever goes wrong on the way breaks the connection: a client that counts, as every
 * client does with a Content-Length, never takes a part for the whole. Rejects then; both streams are released.
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
