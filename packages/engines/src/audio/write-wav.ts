import { writeFile } from 'node:fs/promises';
import { RATE, type Stereo } from './signal.ts';

const HEADER_BYTES = 44;
const FRAME_BYTES = 4;

/** Sixteen bits, two channels. */
export async function writeWav({ left, right }: Stereo, path: string): Promise<void> {
  const file = Buffer.alloc(HEADER_BYTES + left.length * FRAME_BYTES);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * FRAME_BYTES, 28);
  file.writeUInt16LE(FRAME_BYTES, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(left.length * FRAME_BYTES, 40);
  for (let at = 0; at < left.length; at++) {
    file.writeInt16LE(toWord(left[at]!), HEADER_BYTES + at * FRAME_BYTES);
    file.writeInt16LE(toWord(right[at]!), HEADER_BYTES + at * FRAME_BYTES + 2);
  }
  await writeFile(path, file);
}

function toWord(value: number): number {
  return Math.round(32_767 * Math.min(1, Math.max(-1, value)));
}
