import type { Readable } from 'node:stream';
import { ProviderError } from '../../provider.ts';

/** A body of bounded size in memory. One that is larger is refused, or cut where its beginning is enough. */
export async function readBytes(
  body: Readable,
  { maxBytes, cut = false }: { maxBytes: number; cut?: boolean },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maxBytes) continue;
    body.destroy();
    if (cut) break;
    throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

export function tooLarge(maxBytes: number): ProviderError {
  return new ProviderError('internal', `The response of the backend exceeds the limit of ${maxBytes} bytes.`);
}
