import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function makeFolder(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-files-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

const SOURCES = {
  png: ['-f', 'lavfi', '-i', 'testsrc2=s=640x480:d=1', '-frames:v', '1'],
  wav: ['-f', 'lavfi', '-i', 'sine=f=440:r=44100:d=3'],
  mp4: ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=3', '-c:v', 'libx264', '-preset', 'ultrafast'],
} as const;

/** A small valid file. */
export async function makeFile(dir: string, type: keyof typeof SOURCES): Promise<string> {
  const path = join(dir, `small.${type}`);
  await run('ffmpeg', ['-v', 'error', '-y', ...SOURCES[type], path]);
  return path;
}

const SECONDS = 50;

/** A valid video of about this size, with a constant bit rate so that the packets are that large. */
export async function makeVideo(dir: string, megabytes: number): Promise<string> {
  const path = join(dir, `${megabytes}mb.mp4`);
  const rate = `${Math.round((megabytes * 8_000) / SECONDS)}k`;
  await run('ffmpeg', [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-i', `testsrc2=s=320x240:r=10:d=${SECONDS}`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-x264-params', 'nal-hrd=cbr'],
    ...['-b:v', rate, '-minrate', rate, '-maxrate', rate, '-bufsize', rate, path],
  ]);
  return path;
}
