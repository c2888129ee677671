import { type FileHandle, open } from 'node:fs/promises';
import { MediaRefused } from '../media-facts.ts';

/** Reads a file by place and writes another in order, with a bounded buffer whatever their sizes. */
export interface FileCopier {
  size: number;
  /** All of the bytes asked for; a file that ends before is refused. */
  read: (at: number, bytes: number) => Promise<Buffer>;
  copy: (at: number, bytes: number) => Promise<void>;
  write: (content: Buffer) => Promise<void>;
  /** Bytes written so far. */
  written: () => number;
  rewrite: (at: number, content: Buffer) => Promise<void>;
}

export const BLOCK_BYTES = 256 * 1024;

export async function withFileCopier(
  { path, outPath }: { path: string; outPath: string },
  work: (files: FileCopier) => Promise<void>,
): Promise<void> {
  await using from = await open(path, 'r');
  await using to = await open(outPath, 'w', 0o600);
  await work(createFileCopier(from, to, (await from.stat()).size));
}

function createFileCopier(from: FileHandle, to: FileHandle, size: number): FileCopier {
  let written = 0;
  const read = async (at: number, bytes: number) => {
    const content = Buffer.alloc(bytes);
    const { bytesRead } = await from.read(content, 0, bytes, at);
    if (bytesRead < bytes) throw new MediaRefused('upload_invalid', 'The file is cut short.');
    return content;
  };
  const write = async (content: Buffer) => {
    await to.write(content, 0, content.length, written);
    written += content.length;
  };
  return {
    size,
    read,
    write,
    written: () => written,
    rewrite: async (at, content) => void (await to.write(content, 0, content.length, at)),
    async copy(at, bytes) {
      if (at + bytes > size) throw new MediaRefused('upload_invalid', 'The file is cut short.');
      for (let done = 0; done < bytes; done += BLOCK_BYTES) {
        await write(await read(at + done, Math.min(BLOCK_BYTES, bytes - done)));
      }
    },
  };
}
