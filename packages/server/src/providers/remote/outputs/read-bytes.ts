import type { Readable } from 'node:stream';
import { ProviderError } from '../../provider.ts';

/** Reads a body of limited size into memory. A larger one is refused, or truncated where its beginning is enough. */
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
