import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MediaRefused } from '../../media/media-facts.ts';
import { SNIFF_BYTES, sniffHead } from '../../media/sniff-type.ts';
import { requireUploadSize, type UploadKind } from '../../media/upload-limits.ts';
import { faultPoint } from '../../platform/fault-point.ts';

const MIN_BYTES_PER_WINDOW = 640 * 1024;
const WINDOW_MS = 10_000;

/** The sender is slower than any real line: it only holds the connection. */
export class UploadTooSlow extends Error {
  override readonly name = 'UploadTooSlow';
}

/**
 * Writes the incoming file to disk with a few chunks in memory. The first bytes decide the type, the type decides the size
 * that is let through, and a sender below 64 KB/s over ten seconds is cut off.
 */
export async function spoolUpload(source: Readable, path: string): Promise<{ mimeType: string; bytes: number }> {
  let head: Buffer = Buffer.alloc(0);
  let type: UploadType | null = null;
  let bytes = 0;
  let bytesInWindow = 0;
  const slow = setInterval(() => {
    if (bytesInWindow < MIN_BYTES_PER_WINDOW)
      source.destroy(new UploadTooSlow('The file arrives slower than 64 KB/s.'));
    bytesInWindow = 0;
  }, WINDOW_MS);
  try {
    await pipeline(
      source,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          bytesInWindow += chunk.length;
          if (type === null) {
            head = Buffer.concat([head, chunk]);
            if (head.length >= SNIFF_BYTES) type = await requireType(head);
          }
          if (type !== null) requireUploadSize(type.kind, bytes);
          await faultPoint('upload.mid-stream');
          yield chunk;
        }
      },
      createWriteStream(path, { highWaterMark: 256 * 1024 }),
    );
  } finally {
    clearInterval(slow);
  }
  if (bytes === 0) throw new MediaRefused('upload_invalid', 'The file is empty.');
  type ??= await requireType(head);
  requireUploadSize(type.kind, bytes);
  return { mimeType: type.mimeType, bytes };
}

interface UploadType {
  readonly mimeType: string;
  readonly kind: UploadKind;
}

async function requireType(head: Buffer): Promise<UploadType> {
  const type = await sniffHead(head, 'upload');
  if (type === null) throw new MediaRefused('upload_invalid', 'The bytes are of no accepted type.');
  return type as UploadType;
}
