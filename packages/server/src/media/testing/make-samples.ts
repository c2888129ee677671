import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=2'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=f=440:r=44100:d=2'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '100k', '-c:a', 'libvorbis'];

/** One small valid file of each accepted upload type, keyed by that type. */
const SAMPLES: Readonly<Record<string, { name: string; args: string[] }>> = {
  'image/png': { name: 'a.png', args: [...PICTURE, '-frames:v', '1'] },
  'image/jpeg': { name: 'a.jpg', args: [...PICTURE, '-frames:v', '1', '-pix_fmt', 'yuvj420p'] },
  'image/webp': { name: 'a.webp', args: [...PICTURE, '-frames:v', '1'] },
  'audio/mpeg': { name: 'a.mp3', args: [...SOUND, '-metadata', 'title=SECRET'] },
  'audio/wav': { name: 'a.wav', args: [...SOUND, '-metadata', 'title=SECRET'] },
  'audio/mp4': { name: 'a.m4a', args: [...SOUND, '-metadata', 'title=SECRET'] },
  'audio/ogg': { name: 'a.ogg', args: [...SOUND, '-metadata', 'title=SECRET'] },
  'video/mp4': {
    name: 'a.mp4',
    args: [...PICTURE, ...SOUND, ...H264, '-movflags', '+faststart', '-metadata', 'title=SECRET'],
  },
  'video/webm': { name: 'a.webm', args: [...PICTURE, ...SOUND, ...VP8, '-metadata', 'title=SECRET'] },
  'video/quicktime': { name: 'a.mov', args: [...PICTURE, ...SOUND, ...H264, '-metadata', 'title=SECRET'] },
};

export async function runFfmpeg(args: readonly string[]): Promise<void> {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
}

export async function makeSamples(dir: string): Promise<Record<string, string>> {
  await mkdir(dir, { recursive: true });
  const paths = Object.entries(SAMPLES).map(async ([mimeType, { name, args }]) => {
    const path = join(dir, name);
    await runFfmpeg([...args, path]);
    return [mimeType, path] as const;
  });
  return Object.fromEntries(await Promise.all(paths));
}
