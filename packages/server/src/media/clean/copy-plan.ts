import { type FileHandle, open } from 'node:fs/promises';

/** A part of the copy: bytes of the source as `[at, bytes]`, or new bytes in base64. */
export type CopyPiece = [at: number, bytes: number] | string;

/** A picture has a handful; an animation one or two for each frame. */
export const MAX_PIECES = 16_384;
/** New bytes are a header or an orientation. */
const MAX_NEW_CHARS = 4_096;
const BLOCK_BYTES = 256 * 1024;

/** Accepts only a plan within these limits: it comes from a process that read an untrusted file. */
export function readCopyPlan(value: unknown): CopyPiece[] | null {
  if (!Array.isArray(value) || value.length > MAX_PIECES) return null;
  return value.every(isPiece) ? value : null;
}

function isPiece(piece: unknown): piece is CopyPiece {
  if (typeof piece === 'string') return piece.length <= MAX_NEW_CHARS;
  return Array.isArray(piece) && piece.length === 2 && piece.every((part) => Number.isSafeInteger(part) && part >= 0);
}

/**
 * Writes the copy in blocks, so that many small pieces cost no more than a few large ones. Returns false, and leaves a
 * partial copy, if the plan does not fit the source or would write more bytes than the source has.
 */
export async function followCopyPlan(options: {
  readonly path: string;
  readonly outPath: string;
  readonly plan: readonly CopyPiece[];
  readonly maxBytes: number;
}): Promise<boolean> {
  await using from = await open(options.path, 'r');
  await using to = await open(options.outPath, 'w', 0o600);
  const source = createBlockReader(from);
  const copy = createBlockWriter(to);
  let left = options.maxBytes;
  for (const piece of options.plan) {
    const [start, bytes] = typeof piece === 'string' ? [0, Buffer.byteLength(piece, 'base64')] : piece;
    left -= bytes;
    if (left < 0) return false;
    if (typeof piece === 'string') await copy.add(Buffer.from(piece, 'base64'));
    else {
      for (let at = start; at < start + bytes; ) {
        const content = await source.at(at, start + bytes - at);
        if (content.length === 0) return false;
        await copy.add(content);
        at += content.length;
      }
    }
  }
  await copy.flush();
  return true;
}

function createBlockReader(file: FileHandle) {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let [start, end] = [0, 0];
  return {
    /** Up to this many bytes from the offset; none at the end of the file. */
    async at(place: number, bytes: number): Promise<Buffer> {
      if (place < start || place >= end) {
        const { bytesRead } = await file.read(block, 0, block.length, place);
        [start, end] = [place, place + bytesRead];
      }
      return block.subarray(place - start, Math.min(end - start, place - start + bytes));
    },
  };
}

function createBlockWriter(file: FileHandle) {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let filled = 0;
  const flush = async () => {
    if (filled > 0) await file.write(block, 0, filled);
    filled = 0;
  };
  return {
    async add(content: Buffer): Promise<void> {
      for (let at = 0; at < content.length; ) {
        const taken = content.copy(block, filled, at);
        filled += taken;
        at += taken;
        if (filled === block.length) await flush();
      }
    },
    flush,
  };
}
