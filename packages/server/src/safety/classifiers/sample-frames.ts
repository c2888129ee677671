import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@atelier/engines/run-program.ts';

const FRAMES_PER_SECOND = 1;
const MAX_FRAMES = 120;

/** Writes one frame per second of a video to a folder, always including the first frame. */
export async function sampleFrames(options: {
  ffmpeg: string;
  video: string;
  dir: string;
  side: number;
}): Promise<string[]> {
  const { ffmpeg, video, dir, side } = options;
  await runProgram({
    path: ffmpeg,
    // biome-ignore format: one option and its value to a line
    args: [
      '-nostdin', '-v', 'error', '-protocol_whitelist', 'file,pipe',
      '-i', video,
      '-an', '-sn', '-dn',
      '-vf', `fps=${FRAMES_PER_SECOND}:start_time=0:round=up,scale=${side}:${side}`,
      '-frames:v', String(MAX_FRAMES),
      join(dir, 'frame-%04d.png'),
    ],
    cwd: dir,
  });
  const names = (await readdir(dir)).filter((name) => name.startsWith('frame-')).sort();
  return names.map((name) => join(dir, name));
}
