import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface TarFile {
  /** With forward slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

const BLOCK = 512;
/** A path of the format ustar has two parts. */
const MAX_NAME = 100;
const MAX_PREFIX = 155;
const CHECKSUM_OFFSET = 148;

/** The files of a folder below `prefix`. Links are replaced by what they point to. */
export async function readFolder(folder: string, prefix: string): Promise<TarFile[]> {
  const names = (await readdir(folder)).sort();
  const found = await Promise.all(
    names.map(async (name): Promise<TarFile[]> => {
      const place = join(folder, name);
      const info = await stat(place);
      if (info.isDirectory()) return readFolder(place, `${prefix}/${name}`);
      return [{ path: `${prefix}/${name}`, bytes: await readFile(place), isExecutable: (info.mode & 0o100) !== 0 }];
    }),
  );
  return found.flat();
}

/** A gzipped tar that depends on nothing but its arguments: sorted by path, without owners, every file with the same time. */
export function packFiles(files: readonly TarFile[], { seconds }: { seconds: number }): Uint8Array {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const blocks = sorted.flatMap((file) => [
    makeHeader(file, seconds),
    file.bytes,
    new Uint8Array((BLOCK - (file.bytes.length % BLOCK)) % BLOCK),
  ]);
  // The end of an archive is two empty blocks. gzip writes no time of its own.
  return gzipSync(Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]), { level: 9 });
}

function makeHeader({ path, bytes, isExecutable }: TarFile, seconds: number): Uint8Array {
  const { name, prefix } = splitPath(path);
  const header = Buffer.alloc(BLOCK);
  const number = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(number(isExecutable ? 0o755 : 0o644, 7), 100);
  header.write(number(0, 7), 108);
  header.write(number(0, 7), 116);
  header.write(number(bytes.length, 11), 124);
  header.write(number(seconds, 11), 136);
  header.write('        ', CHECKSUM_OFFSET);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  header.write(prefix, 345);
  const sum = header.reduce((total, each) => total + each, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_OFFSET);
  return header;
}

function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= MAX_NAME) return { name: path, prefix: '' };
  for (let cut = path.indexOf('/'); cut !== -1; cut = path.indexOf('/', cut + 1)) {
    const name = path.slice(cut + 1);
    const prefix = path.slice(0, cut);
    if (Buffer.byteLength(name) <= MAX_NAME && Buffer.byteLength(prefix) <= MAX_PREFIX) return { name, prefix };
  }
  throw new Error(`the path is too long for a tar archive: ${path}`);
}
