import { AtelierError } from './api-error.ts';
import { findNodeModule } from './environment.ts';

/** A stream has no size, so it is read into memory before it is sent. No upload may be larger than this. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

/**
 * A file to upload. A string is never a path: it is the id of an upload. Otherwise a value that came from a user could
 * name any file of the machine. Use `fromPath`, or a URL object with a `file:` address.
 */
export type MediaSource =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | URL;

/** A file on disk (Node, Deno, Bun). It is read when it is sent. */
export async function fromPath(path: string | URL): Promise<Blob> {
  return findNodeModule<typeof import('node:fs')>('fs').openAsBlob(path);
}

export async function toBlob(source: MediaSource): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof URL) {
    if (source.protocol !== 'file:') throw new AtelierError('Only file: URLs can be uploaded. Fetch others first.');
    return fromPath(source);
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return new Blob([source as Uint8Array<ArrayBuffer>]);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of source instanceof ReadableStream ? readStream(source) : source) {
    bytes += chunk.byteLength;
    if (bytes > MAX_STREAM_BYTES) throw new AtelierError(`The stream has more than ${MAX_STREAM_BYTES} bytes`);
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return new Blob(chunks);
}

/** Not every browser can iterate over a stream. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
