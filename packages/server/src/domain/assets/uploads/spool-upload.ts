import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MediaRefused } from '../../../media/media-facts.ts';
import { SNIFF_BYTES, sniffHead } from '../../../media/sniff-type.ts';
import { requireUploadSize, type UploadKind } from '../../../media/upload-limits.ts';
import { faultPoint } from '../../../platform/fault-point.ts';

/** The memory that one upload may use on its way to the disk: chunks are gathered in it, so that few writes are made. */
const BUFFER_BYTES = 256 * 1024;

/**
 * Streams the incoming file to disk with bounded memory. The first bytes determine the type, and the type determines the
 * maximum size. A file that is too large is refused as soon as that is known, from its first bytes if its size was
 * announced.
 */
export async function spoolUpload(options: {
  readonly source: Readable;
  readonly path: string;
  readonly minBytes: number;
}): Promise<{ mimeType: string; bytes: number }> {
  const seen: { head: Buffer; type: UploadType | null; bytes: number } = {
    head: Buffer.alloc(0),
    type: null,
    bytes: 0,
  };
  const judge = async (chunk: Buffer) => {
    seen.bytes += chunk.length;
    await faultPoint('upload.mid-stream');
    if (seen.type === null) {
      seen.head = Buffer.concat([seen.head, chunk]);
      if (seen.head.length < SNIFF_BYTES) return;
      seen.type = await requireType(seen.head);
      requireUploadSize(seen.type.kind, options.minBytes);
    }
    requireUploadSize(seen.type.kind, seen.bytes);
  };
  await using file = await open(options.path, 'w');
  await pipeline(options.source, async (chunks: AsyncIterable<Buffer>) => {
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    let filled = 0;
    for await (const chunk of chunks) {
      await judge(chunk);
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(buffer, filled, at);
        at += copied;
        filled += copied;
        if (filled < buffer.length) continue;
        await file.writeFile(buffer);
        filled = 0;
      }
    }
    await file.writeFile(buffer.subarray(0, filled));
  });
  if (seen.bytes === 0) throw new MediaRefused('upload_invalid', 'The file is empty.');
  const type = seen.type ?? (await requireType(seen.head));
  requireUploadSize(type.kind, seen.bytes);
  return { mimeType: type.mimeType, bytes: seen.bytes };
}

interface UploadType {
  readonly mimeType: string;
  readonly kind: UploadKind;
}

async function requireType(head: Buffer): Promise<UploadType> {
  const type = await sniffHead(head, 'upload');
  if (type === null) throw new MediaRefused('upload_invalid', 'Unsupported file type.');
  return type as UploadType;
}
