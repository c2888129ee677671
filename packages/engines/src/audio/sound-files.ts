import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../run-program.ts';
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

/** Reads any audio file as mono samples at the given rate. */
export async function readSound(options: {
  path: string;
  rate: number;
  ffmpegPath: string;
  dir: string;
}): Promise<Float32Array> {
  // Through a file: ten minutes at 48 kHz exceed the output limit of a program.
  const raw = join(options.dir, 'samples.f32');
  await runProgram({
    path: options.ffmpegPath,
    args: [
      ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-protocol_whitelist', 'file,pipe'],
      // Without the limit, two similar channels would add up beyond full scale.
      ...['-i', options.path, '-map', '0:a:0', '-rematrix_maxval', '1', '-ac', '1', '-ar', String(options.rate)],
      ...['-f', 'f32le', raw],
    ],
    cwd: options.dir,
  });
  const bytes = await readFile(raw);
  await rm(raw);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.byteLength & ~3)));
}

export type SoundFormat = 'wav' | 'mp3' | 'ogg' | 'm4a';

export const SOUND_ENCODERS: Readonly<Record<SoundFormat, readonly string[]>> = {
  wav: ['-c:a', 'pcm_s16le'],
  mp3: ['-c:a', 'libmp3lame', '-q:a', '2'],
  ogg: ['-c:a', 'libopus', '-b:a', '64k'],
  m4a: ['-c:a', 'aac', '-b:a', '160k', '-movflags', '+faststart'],
};

/** Writes mono samples as an audio file of the given format. */
export async function writeSound(options: {
  samples: Float32Array;
  rate: number;
  format: SoundFormat;
  ffmpegPath: string;
  dir: string;
  name: string;
}): Promise<string> {
  const path = join(options.dir, `${options.name}.${options.format}`);
  await runProgram({
    path: options.ffmpegPath,
    args: [
      ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-protocol_whitelist', 'file,pipe'],
      ...['-f', 'f32le', '-ar', String(options.rate), '-ac', '1', '-i', 'pipe:0'],
      ...['-map_metadata', '-1', ...SOUND_ENCODERS[options.format], path],
    ],
    cwd: options.dir,
    input: Buffer.from(options.samples.buffer, options.samples.byteOffset, options.samples.byteLength),
  });
  return path;
}
