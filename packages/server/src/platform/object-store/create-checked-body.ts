import { type Readable, Transform } from 'node:stream';
import { ObjectStoreUnavailable } from './object-store.ts';

/** A body that ends only after all announced bytes, and releases its connection when destroyed. */
export function createCheckedBody(options: { body: Readable; expectedBytes: number }): Readable {
  const { body, expectedBytes } = options;
  let bytes = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      done(bytes === expectedBytes ? null : cutOff());
    },
    destroy(error, done) {
      body.destroy();
      done(error);
    },
  });
  const cutOff = (cause?: unknown) =>
    new ObjectStoreUnavailable(`the object store sent ${bytes} of ${expectedBytes} bytes`, { cause });
  body.once('error', (error) => checked.destroy(cutOff(error)));
  body.once('close', () => {
    if (!body.readableEnded) checked.destroy(cutOff());
  });
  body.pipe(checked);
  return checked;
}
