import { type FileHandle, open } from 'node:fs/promises';
import { ProbeRefusal } from '../probe/probe-protocol.ts';
import { type CopyPiece, MAX_PIECES } from './copy-plan.ts';

/** Reads a file at any offset and describes its copy in order: which bytes are copied, and the few new ones. */
export interface FileCopier {
  size: number;
  /** All requested bytes; a file that ends earlier is refused. */
  read: (at: number, bytes: number) => Promise<Buffer>;
  copy: (at: number, bytes: number) => void;
  write: (content: Buffer) => void;
  /** Bytes described so far. */
  written: () => number;
  /** Changes bytes that were written, not copied. */
  rewrite: (at: number, content: Buffer) => void;
}

export const BLOCK_BYTES = 256 * 1024;
/** Consecutive new bytes form one piece up to this size. */
const MAX_JOINED_BYTES = 1024;

/** What `work` would write, as a plan that another process can execute without parsing the file. */
export async function planCopy(path: string, work: (files: FileCopier) => Promise<void>): Promise<CopyPiece[]> {
  await using from = await open(path, 'r');
  const { files, pieces } = createFileCopier(from, (await from.stat()).size);
  await work(files);
  return pieces.map((piece) => (Buffer.isBuffer(piece) ? piece.toString('base64') : piece));
}

function createFileCopier(from: FileHandle, size: number) {
  const pieces: (Buffer | [at: number, bytes: number])[] = [];
  let written = 0;
  const add = (piece: Buffer | [number, number]) => {
    if (pieces.length >= MAX_PIECES) throw new ProbeRefusal('The file has too many parts.');
    pieces.push(piece);
  };
  const files: FileCopier = {
    size,
    async read(at, bytes) {
      const content = Buffer.alloc(bytes);
      const { bytesRead } = await from.read(content, 0, bytes, at);
      if (bytesRead < bytes) throw new ProbeRefusal('The file is truncated.');
      return content;
    },
    copy(at, bytes) {
      if (at + bytes > size) throw new ProbeRefusal('The file is truncated.');
      if (bytes === 0) return;
      const last = pieces.at(-1);
      if (Array.isArray(last) && last[0] + last[1] === at) last[1] += bytes;
      else add([at, bytes]);
      written += bytes;
    },
    write(content) {
      const last = pieces.at(-1);
      if (Buffer.isBuffer(last) && last.length < MAX_JOINED_BYTES)
        pieces[pieces.length - 1] = Buffer.concat([last, content]);
      else add(Buffer.from(content));
      written += content.length;
    },
    written: () => written,
    rewrite(at, content) {
      let start = 0;
      for (const piece of pieces) {
        const bytes = Buffer.isBuffer(piece) ? piece.length : piece[1];
        if (at < start + bytes) {
          if (!Buffer.isBuffer(piece)) break;
          content.copy(piece, at - start);
          return;
        }
        start += bytes;
      }
      throw new RangeError('only written bytes can be rewritten');
    },
  };
  return { files, pieces };
}
