import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../run-program.ts';

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
