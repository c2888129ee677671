import { randomUUID } from 'node:crypto';
import type { CallOptions } from '../harness/client.ts';

/** A form with one file, as a client sends it. */
export function formOf(file: Buffer): Pick<CallOptions, 'body' | 'headers'> {
  const boundary = randomUUID();
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  return {
    body: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
