import { Readable } from 'node:stream';
import { ObjectStoreUnavailable } from './object-store.ts';

/** Two chunks of a socket: with one, the connection would be paused after every chunk. */
const BUFFER_BYTES = 128 * 1024;

/**
 * A body that ends only after all announced bytes, and releases its connection when destroyed. It hands chunks on by
 * itself: a Transform would pass each through two more queues.
 */
export function createCheckedBody(options: { body: Readable; expectedBytes: number }): Readable {
  const { body, expectedBytes } = options;
  let bytes = 0;
  const checked = new Readable({
    highWaterMark: BUFFER_BYTES,
    read: () => void body.resume(),
    destroy(error, done) {
      body.destroy();
      done(error);
    },
  });
  const cutOff = (cause?: unknown) =>
    new ObjectStoreUnavailable(`the object store sent ${bytes} of ${expectedBytes} bytes`, { cause });
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (!checked.push(chunk)) body.pause();
  });
  body.once('end', () => {
    if (bytes === expectedBytes) checked.push(null);
    else checked.destroy(cutOff());
  });
  // Stays: a connection that is destroyed may report more than one error.
  body.on('error', (error) => checked.destroy(cutOff(error)));
  body.once('close', () => {
    if (!body.readableEnded) checked.destroy(cutOff());
  });
  return checked;
}
