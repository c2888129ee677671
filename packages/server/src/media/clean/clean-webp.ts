import { ProbeRefusal } from '../probe/probe-protocol.ts';
import type { FileCopier } from './file-copier.ts';
import { minimalExif, readOrientation } from './orientation.ts';

const FILE_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FRAME_HEADER_BYTES = 16;
const MAX_CHUNKS = 16_384;
const MAX_EXIF_BYTES = 1024 * 1024;

const EXTENDED_BYTES = 10;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;

const KEPT = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ICCP']);
const KEPT_IN_FRAME = new Set(['VP8 ', 'VP8L', 'ALPH']);

interface Chunk {
  name: string;
  at: number;
  /** With its header and padding. */
  bytes: number;
  contentBytes: number;
}

/** Keeps the picture or its frames, its colours and its orientation. The header's flags match what is kept. */
export async function cleanWebp(files: FileCopier): Promise<void> {
  const header = await files.read(0, FILE_HEADER_BYTES);
  const end = Math.min(files.size, header.readUInt32LE(4) + 8);
  files.write(header);
  let flags: { at: number; value: number } | null = null;
  let exif: Buffer | null = null;

  for await (const part of chunksOf(files, FILE_HEADER_BYTES, end)) {
    if (part.name === 'VP8X' && part.contentBytes >= EXTENDED_BYTES && flags === null) {
      const whole = await files.read(part.at, CHUNK_HEADER_BYTES + EXTENDED_BYTES);
      whole.writeUInt32LE(EXTENDED_BYTES, 4);
      whole[CHUNK_HEADER_BYTES]! &= ~(HAS_EXIF | HAS_XMP);
      flags = { at: files.written() + CHUNK_HEADER_BYTES, value: whole[CHUNK_HEADER_BYTES]! };
      files.write(whole);
    } else if (part.name === 'EXIF' && part.contentBytes <= MAX_EXIF_BYTES) {
      const content = await files.read(part.at + CHUNK_HEADER_BYTES, part.contentBytes);
      const named = content.toString('latin1', 0, 4) === 'Exif';
      exif ??= minimalExif(readOrientation(named ? content.subarray(6) : content));
    } else if (part.name === 'ANMF') {
      await copyFrame(files, part);
    } else if (KEPT.has(part.name)) {
      copyChunk(files, part);
    }
  }
  if (exif && flags) {
    files.write(Buffer.concat([chunkHeader('EXIF', exif.length), exif]));
    files.rewrite(flags.at, Buffer.of(flags.value | HAS_EXIF));
  }
  header.writeUInt32LE(files.written() - 8, 4);
  files.rewrite(0, header);
}

async function* chunksOf(files: FileCopier, from: number, end: number): AsyncGenerator<Chunk> {
  let count = 0;
  for (let at = from; at + CHUNK_HEADER_BYTES <= end; ) {
    if (++count > MAX_CHUNKS) throw new ProbeRefusal('The WebP has too many chunks.');
    const head = await files.read(at, CHUNK_HEADER_BYTES);
    const contentBytes = head.readUInt32LE(4);
    const bytes = CHUNK_HEADER_BYTES + contentBytes + (contentBytes % 2);
    if (at + CHUNK_HEADER_BYTES + contentBytes > end) throw new ProbeRefusal('The WebP is truncated.');
    yield { name: head.toString('latin1', 0, 4), at, bytes, contentBytes };
    at += bytes;
  }
}

function copyChunk(files: FileCopier, { at, contentBytes }: Chunk): void {
  files.copy(at, CHUNK_HEADER_BYTES + contentBytes);
  if (contentBytes % 2 === 1) files.write(Buffer.of(0));
}

async function copyFrame(files: FileCopier, frame: Chunk): Promise<void> {
  const start = frame.at + CHUNK_HEADER_BYTES;
  const kept: Chunk[] = [];
  for await (const part of chunksOf(files, start + FRAME_HEADER_BYTES, start + frame.contentBytes)) {
    if (KEPT_IN_FRAME.has(part.name)) kept.push(part);
  }
  const contentBytes = FRAME_HEADER_BYTES + kept.reduce((sum, { bytes }) => sum + bytes, 0);
  // A frame that is copied whole is one piece.
  if (contentBytes === frame.contentBytes) return copyChunk(files, frame);
  files.write(chunkHeader('ANMF', contentBytes));
  files.copy(start, FRAME_HEADER_BYTES);
  for (const part of kept) copyChunk(files, part);
}

function chunkHeader(name: string, contentBytes: number): Buffer {
  const head = Buffer.alloc(CHUNK_HEADER_BYTES);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(contentBytes, 4);
  return head;
}
