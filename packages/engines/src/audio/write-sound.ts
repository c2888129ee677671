import { join } from 'node:path';
import { runProgram } from '../run-program.ts';

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
